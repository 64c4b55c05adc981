export interface Instruction {
  readonly name: string
  /** As written, continuation lines joined. */
  readonly rest: string
}

export interface Stage {
  readonly base: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

/** Reads as much of the Dockerfile format as ours uses: comments, continuation lines, stages, defaults of their bases. */
export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const defaults = new Map<string, string>()
  const stages: { base: string; name: string; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`no instruction: ${line}`)
    const [, base, as = `${stages.length}`] = name === 'FROM' ? (/^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []) : []
    if (name === 'ARG' && stages.length === 0) {
      const [argument = '', value = ''] = rest.split('=')
      defaults.set(`\${${argument}}`, value)
    } else if (base !== undefined) stages.push({ base: defaults.get(base) ?? base, name: as, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}

/** The command of an instruction in its JSON form, such as `CMD ["worker"]`. */
export function wordsOf(stage: Stage | undefined, name: string): readonly string[] {
  const found = stage?.instructions.findLast((instruction) => instruction.name === name)
  if (found === undefined) throw new Error(`the image has no ${name}`)
  const words: unknown = JSON.parse(found.rest.slice(found.rest.indexOf('[')))
  if (Array.isArray(words)) return words.map(String)
  throw new Error(`${name} ${found.rest} is not a list`)
}

/** What ENV sets. */
export function environmentOf(stage: Stage | undefined): Readonly<Record<string, string>> {
  const pairs = (stage?.instructions ?? []).filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(' '))
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/** What USER, WORKDIR, VOLUME or EXPOSE says last. */
export function settingOf(stage: Stage | undefined, name: string): string | undefined {
  return stage?.instructions.findLast((instruction) => instruction.name === name)?.rest
}
