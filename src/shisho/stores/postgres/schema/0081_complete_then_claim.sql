-- Complete a job as a transaction of its own, and claim the next as another, in one way there and back. `done`: as of
-- `complete_job`, NULL where the claim is lost; only after a completion that is committed is anything claimed. The claim is
-- a transaction apart, so that it holds no task while the completion waits for the disk. It comes as JSON: one value costs
-- the caller less than nineteen. No setting stands here, because a procedure with one cannot commit.
CREATE PROCEDURE complete_then_claim(job text, held_attempt integer, worker text, output text, kinds text[], present text,
        steady text, OUT completed_task text, OUT done boolean, OUT taken json)
    LANGUAGE plpgsql
AS $$
BEGIN
    SELECT c.task_id, c.done INTO completed_task, done
        FROM complete_job(job, held_attempt, worker, output, present, true) c;
    IF done THEN
        COMMIT;
        SELECT row_to_json(c) INTO taken FROM claim_job(worker, kinds, present, steady) c;
    END IF;
END $$;
