module writ.local/pause

go 1.21
