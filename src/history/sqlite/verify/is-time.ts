/** SQL: whether a column contains anything but a time as hookdrift writes it, such as 2026-11-21T03:01:00.000Z. */
export function isInvalidTime(column: string): string {
  const digits = (count: number) => '[0-9]'.repeat(count)
  const form = `${digits(4)}-${digits(2)}-${digits(2)}T${digits(2)}:${digits(2)}:${digits(2)}.${digits(3)}Z`
  return `(${column} NOT GLOB '${form}' OR datetime(${column}) IS NULL)`
}
