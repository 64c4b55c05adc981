/**
 * No expression runs over a longer text: it is sealed whole. V8's regular expressions overflow their stack at some
 * megabytes, and no name, address or description is as long. In UTF-16 code units.
 */
export const longestText = 64 * 1024

/** The same for program text. */
export const longestProgram = 512 * 1024
