import type { JsonObject } from '../../src/model/json.ts'
import type { RestoreRow } from '../../src/queries/restore-row.ts'

/** `${NAME}` in a text of a body or an address. */
const references = /\$\{([A-Z0-9_]{1,80})\}/g

/**
 * Sends the requests that `restore --format json` printed, with each placeholder filled in, and returns the answers.
 * A value is a JSON text within quotes, as the shell puts it there.
 */
export async function sendRows(rows: readonly RestoreRow[], values: ReadonlyMap<string, string>) {
  const answers: { readonly status: number; readonly data: JsonObject | null }[] = []
  for (const { method, url, headers, body } of rows) {
    const fill = (text: string) =>
      text.replace(references, (_, name: string) => {
        const value = values.get(name)
        if (value === undefined) throw new Error(`no value for ${name}`)
        return value
      })
    const response = await fetch(fill(url), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, fill(value)]),
      ...(body !== null && { body: fill(JSON.stringify(body)) }),
    })
    const { data = null } = JSON.parse(await response.text())
    answers.push({ status: response.status, data })
  }
  return answers
}

/**
 * The values of placeholders, read off the rows of the service: where a body has `${NAME}`, the original has the value.
 * `original` has the form of the request.
 */
export function valuesFrom(rows: readonly RestoreRow[], original: unknown): Map<string, string> {
  const values = new Map<string, string>()
  for (const { body } of rows) collect(body, original, values)
  return values
}

function collect(template: unknown, original: unknown, values: Map<string, string>): void {
  if (typeof template === 'string') {
    const names = [...template.matchAll(references)].map(([, name = '']) => name)
    if (names.length === 0) return
    const [first = '', ...rest] = template.split(/\$\{[A-Z0-9_]{1,80}\}/)
    const pattern = [first, ...rest].map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([\\s\\S]*)')
    const found = new RegExp(`^${pattern}$`).exec(String(original))
    if (found === null) throw new Error(`${template} does not have the form of ${String(original)}`)
    for (const [at, name] of names.entries()) values.set(name, JSON.stringify(found[at + 1]).slice(1, -1))
    return
  }
  if (typeof template !== 'object' || template === null) return
  for (const [key, member] of Object.entries(template)) {
    const within: unknown = typeof original === 'object' && original !== null ? Object(original)[key] : undefined
    collect(member, within, values)
  }
}
