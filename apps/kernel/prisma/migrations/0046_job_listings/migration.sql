-- What an administrator listed for the runs of a job: `JobListing` of libs/contract. Set when the token is made, as all of a token but its revocation.
ALTER TABLE kernel.token ADD COLUMN job jsonb;
