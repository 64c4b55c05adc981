/**
 * A uid as one step of the path of an address. undefined for one that may not remain that step: clients take `.` and
 * `..` for a way within the path, however they are encoded, an empty one vanishes, and proxies decode what separates
 * parts of an address.
 */
export function pathStep(uid: string): string | undefined {
  if (uid === '' || uid === '.' || uid === '..' || separators.test(uid) || !uid.isWellFormed()) return undefined
  return encodeURIComponent(uid)
}

const separators = /[/\\?#%\p{Cc}]/u
