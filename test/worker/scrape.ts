import parse from 'parse-prometheus-text-format'

/** A scrape as a foreign parser reads it. */
export function readScrape(text: string) {
  // It reads one histogram a name, and forgets the labels; the series of which one consists it reads like any other.
  const families = parse(text.replace(/^# (?:TYPE \S+ histogram|HELP \S+_seconds .*)$/gm, ''))
  const samplesOf = (name: string) => families.find((family) => family.name === name)?.metrics ?? []
  return {
    /** `a=1 b=2`, in the order of names, and the value. */
    samples: (name: string) =>
      Object.fromEntries(samplesOf(name).map(({ labels = {}, value }) => [labelText(labels), Number(value)] as const)),
    sum: (name: string) => samplesOf(name).reduce((sum, { value }) => sum + Number(value), 0),
  }
}

function labelText(labels: Readonly<Record<string, string>>) {
  const names = Object.keys(labels).sort()
  return names.map((name) => `${name}=${labels[name]}`).join(' ')
}
