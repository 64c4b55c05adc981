/** The schema whose upgrade reseals rows, so that no secret of an earlier version stays in clear. */
export const resealingStep = 9
