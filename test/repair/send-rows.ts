import { isJsonObject, type Json, type JsonObject, pointerStep, setProperty } from '../../src/model/json.ts'
import type { FleetFixture } from '../audit/fleet-fixture.ts'

/** A row of `restore --format json`. */
export interface PrintedRow {
  readonly purpose: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject | null
  readonly placeholders: readonly {
    readonly name: string
    readonly in: 'url' | 'header' | 'body' | 'body_name'
    readonly path: string | null
    readonly hint: string
  }[]
  readonly when: string | null
}

/**
 * Sends the requests that `restore --format json` printed, with each placeholder filled in where its row says that one
 * is, and returns the answers. A value is a JSON text within quotes, as the shell puts it there.
 */
export async function sendRows(rows: readonly PrintedRow[], values: ReadonlyMap<string, string>) {
  const answers: { readonly status: number; readonly data: JsonObject | null }[] = []
  for (const row of rows) {
    const { method, url, headers, body } = row
    const response = await fetch(fill(url, namesAt(row, 'url'), values), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => {
        return [name, fill(value, namesAt(row, 'header'), values)]
      }),
      ...(body !== null && { body: JSON.stringify(fillBody(row, values)) }),
    })
    const { data = null } = JSON.parse(await response.text())
    answers.push({ status: response.status, data })
  }
  return answers
}

/** Sends them to the service of a fixture with its key; gives the status of each answer. */
export async function sendTo(
  fixture: Pick<FleetFixture, 'service' | 'fleet'>,
  rows: readonly PrintedRow[],
  values: ReadonlyMap<string, string> = new Map(),
): Promise<number[]> {
  return (await sendRows(rows, new Map([...values, ...valuesOf(fixture)]))).map(({ status }) => status)
}

/** What every request needs. */
export function valuesOf({ service, fleet }: Pick<FleetFixture, 'service' | 'fleet'>): Map<string, string> {
  return new Map([
    ['ACME_URL', service.url],
    ['ACME_KEY', fleet.personalKey],
  ])
}

/** The body of a row with its placeholders filled in. */
export function fillBody(row: PrintedRow, values: ReadonlyMap<string, string>): Json {
  const plain = new Map([...values].map(([name, value]): [string, string] => [name, JSON.parse(`"${value}"`)]))
  return fillIn(row.body, '')

  function fillIn(value: Json, path: string): Json {
    if (typeof value === 'string') return fill(value, namesAt(row, 'body', path), plain)
    if (Array.isArray(value)) return value.map((item: Json, at) => fillIn(item, `${path}/${at}`))
    if (!isJsonObject(value)) return value
    const filled: Record<string, Json> = {}
    for (const [key, member] of Object.entries(value)) {
      const here = `${path}/${pointerStep(key)}`
      setProperty(filled, fill(key, namesAt(row, 'body_name', here), plain), fillIn(member, here))
    }
    return filled
  }
}

function namesAt({ placeholders }: PrintedRow, place: string, path: string | null = null): string[] {
  return placeholders.filter((each) => each.in === place && each.path === path).map(({ name }) => name)
}

function fill(text: string, names: readonly string[], values: ReadonlyMap<string, string>): string {
  return split(text, names)
    .map(({ text: piece, isName }) => {
      const value = isName ? values.get(piece) : piece
      if (value === undefined) throw new Error(`no value for ${piece}`)
      return value
    })
    .join('')
}

/** A text at its placeholders, which are known by where they are. */
function split(text: string, names: readonly string[]): { readonly text: string; readonly isName: boolean }[] {
  let pieces = [{ text, isName: false }]
  for (const name of names) {
    pieces = pieces.flatMap((piece) => {
      if (piece.isName) return [piece]
      const parts = piece.text.split(`\${${name}}`)
      return parts.flatMap((part, at) => [
        ...(at === 0 ? [] : [{ text: name, isName: true }]),
        { ...piece, text: part },
      ])
    })
  }
  return pieces
}

/**
 * The values of placeholders, read off the rows of the service: where a body has one, the original has its value.
 * `original` has the form of the request.
 */
export function valuesFrom(rows: readonly PrintedRow[], original: unknown): Map<string, string> {
  const values = new Map<string, string>()
  for (const row of rows) collect(row, row.body, original, '', values)
  return values
}

function collect(
  row: PrintedRow,
  template: unknown,
  original: unknown,
  path: string,
  values: Map<string, string>,
): void {
  if (typeof template === 'string') {
    learn(template, namesAt(row, 'body', path), [String(original)], values)
    return
  }
  if (typeof template !== 'object' || template === null) return
  const rest = new Set(Object.keys(Object(original)))
  for (const key of Object.keys(template)) rest.delete(key)
  const namesOf = (key: string) => namesAt(row, 'body_name', `${path}/${pointerStep(key)}`)
  const unknown = ([key]: [string, unknown]) => namesOf(key).filter((name) => !values.has(name)).length
  for (const [key, member] of Object.entries(template).sort((a, b) => unknown(a) - unknown(b))) {
    const here = `${path}/${pointerStep(key)}`
    const names = namesOf(key)
    const name = names.length === 0 ? key : learn(key, names, [...rest], values)
    rest.delete(name)
    const within: unknown = Object.hasOwn(Object(original), name) ? Object(original)[name] : undefined
    collect(row, member, within, here, values)
  }
}

/** Reads values off the first original that has the form of a text, and returns it. */
function learn(
  template: string,
  names: readonly string[],
  originals: readonly string[],
  values: Map<string, string>,
): string {
  const pieces = split(template, names)
  if (pieces.length === 1) return template
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = pieces.map(({ text, isName }) => {
    if (!isName) return escaped(text)
    const known = values.get(text)
    return known === undefined ? '([\\s\\S]*)' : `(${escaped(JSON.parse(`"${known}"`))})`
  })
  for (const original of originals) {
    const found = new RegExp(`^${pattern.join('')}$`).exec(original)
    if (found === null) continue
    const unknown = pieces.filter(({ isName }) => isName)
    for (const [at, { text }] of unknown.entries()) values.set(text, JSON.stringify(found[at + 1]).slice(1, -1))
    return original
  }
  throw new Error(`${template} does not have the form of ${originals.join(', ')}`)
}
