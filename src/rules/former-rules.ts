/**
 * Rules that are no more, with what to write in a policy instead: the end of the sentence "there is no rule X, …". A row
 * stays for a year, so that whoever upgrades learns it.
 */
export const formerRules: Readonly<Record<string, string>> = {}
