/**
 * A longer text is sealed whole, so that no regular expression runs over it: V8's overflow their stack at some
 * megabytes. Names, addresses and descriptions are never as long. In UTF-16 code units.
 */
export const longestText = 64 * 1024

/** The same for program text. */
export const longestProgram = 512 * 1024
