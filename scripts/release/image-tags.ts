/**
 * The tags of the image of a version: `1.2.3`, and `1.2`, `1` and `latest` where no release is newer. `released` are the
 * tags of the repository.
 */
export function imageTags(version: string, released: readonly string[]): readonly string[] {
  const [major = '', minor = ''] = version.split('.')
  const others = released.filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag)).map((tag) => tag.slice(1))
  const isNewest = (line: string) =>
    !others.some((other) => other.startsWith(line) && other.localeCompare(version, 'en', { numeric: true }) > 0)
  return [
    version,
    ...(isNewest(`${major}.${minor}.`) ? [`${major}.${minor}`] : []),
    ...(isNewest(`${major}.`) ? [major] : []),
    ...(isNewest('') ? ['latest'] : []),
  ]
}
