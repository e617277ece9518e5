/**
 * Between the rows that others refer to and those that refer to them. A connection plans the check of a foreign key once
 * and keeps the plan: made while the table was small, it reads all rows of the tenant for each check, which the many of
 * a sync pay for with minutes. What is discarded is planned anew at its next use, for the table as it is then.
 */
export const FRESH_PLANS = 'DISCARD PLANS';
