/** Whether a shell reads a text as one plain argument. Texts of a service that it does not are not offered for copying. */
export function isShellSafe(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]{0,63}$/.test(text)
}
