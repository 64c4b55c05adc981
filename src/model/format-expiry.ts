/** An end for people: `the end of 2027-03-31` if it is midnight in UTC, else `2027-03-31 18:30:00 UTC`. */
export function formatExpiry(iso: string): string {
  const end = Date.parse(iso)
  if (Number.isNaN(end)) return iso
  const [day = '', time = ''] = new Date(end).toISOString().split(/[TZ.]/)
  if (time !== '00:00:00') return `${day} ${time} UTC`
  return `the end of ${new Date(end - 1).toISOString().slice(0, 10)}`
}
