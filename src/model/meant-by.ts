/** Those that a person means by a text: of that uid, else of that name, else all whose uid or name begins so. */
export function meantBy<Thing extends { readonly uid: string; readonly name: string }>(
  things: readonly Thing[],
  text: string,
): readonly Thing[] {
  if (text === '') return []
  const ofUid = things.filter(({ uid }) => uid === text)
  if (ofUid.length > 0) return ofUid
  const ofName = things.filter(({ name }) => name === text)
  if (ofName.length > 0) return ofName
  return things.filter(({ uid, name }) => uid.startsWith(text) || name.startsWith(text))
}
