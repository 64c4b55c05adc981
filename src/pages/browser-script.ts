/** The one script of the pages, which work without it. */
export const browserScript = ''
