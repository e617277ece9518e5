/**
 * Run this between writing rows and writing rows that refer to them. A connection plans the check of a foreign key once
 * and keeps the plan. A plan from a small table reads all rows of the tenant for each check, which costs a sync minutes.
 * PostgreSQL makes a new plan at the next use, for the present size of the table.
 */
export const FRESH_PLANS = 'DISCARD PLANS';
