/**
 * A uid as one step of the path of an address. undefined where no encoding keeps it one: clients take `.` and `..` for a
 * way within the path, also as `%2E%2E`, and an empty step vanishes.
 */
export function pathStep(uid: string): string | undefined {
  return /^\.{0,2}$/.test(uid) || !uid.isWellFormed() ? undefined : encodeURIComponent(uid)
}
