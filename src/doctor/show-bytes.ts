const units = ['KB', 'MB', 'GB', 'TB']

/** `950 B`, `1.2 MB`, `41 GB`. */
export function showBytes(bytes: number): string {
  let size = bytes
  let unit = 'B'
  for (const next of units) {
    if (size < 1000) break
    size /= 1000
    unit = next
  }
  return `${size < 10 && unit !== 'B' ? size.toFixed(1) : Math.round(size)} ${unit}`
}
