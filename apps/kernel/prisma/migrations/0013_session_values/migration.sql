-- What a person says beyond one yes or no: another call in the place of the held one, a yes for the session, a value.

-- The call that goes on in the place of one whose arguments were edited. Known before that one is proposed, so that an edit that is asked for again,
-- because its answer was lost, names the same call whoever remembers it.
ALTER TABLE kernel.approval ADD COLUMN superseded_by text;
ALTER TABLE kernel.approval ADD CONSTRAINT superseded_named CHECK (superseded_by IS NULL OR state = 'superseded');
