type Optional<Members> = { [Name in keyof Members]: undefined extends Members[Name] ? Name : never }[keyof Members]

type WithoutUndefined<Members> = {
  [Name in Exclude<keyof Members, Optional<Members>>]: Members[Name]
} & {
  [Name in Optional<Members>]?: Exclude<Members[Name], undefined>
}

/** The same object without the members that are undefined: in JSON and in what is compared, they are not there. */
export function withoutUndefined<Members extends object>(members: Members): WithoutUndefined<Members> {
  const present = Object.entries(members).filter(([, value]) => value !== undefined)
  // fromEntries forgets the names.
  return Object.fromEntries(present) as WithoutUndefined<Members>
}
