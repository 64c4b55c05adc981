/** The schema with which rows are brought to today's form, so that what an earlier version kept in clear does not stay. */
export const resealingStep = 9
