/** As many characters of a fingerprint as people get to see: commands take them for the whole. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 8)
}
