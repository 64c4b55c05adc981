import { dirname, resolve } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { Expand } from '../model/yaml/node-values.ts'
import { type ConfigurationText, environmentDocument } from './environment-document.ts'

/** The sources of a configuration's references. */
export interface ReferenceSources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of a file; throws when it cannot be read, or is larger than `mostBytes`. */
  readonly readFile: (path: string, mostBytes?: number) => string
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: people write it like this
export const referenceForms = '${VAR} or ${file:PATH}'

/** `${VAR}`, `${VAR:-default}`, `${file:PATH}`, the literal `$${`, or a `${` that is none of them. */
const reference =
  /\$\$\{|\$\{(?:(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^{}]*))?|file:(?<path>[^{}]+))\}|\$\{/g
const maxReferencedBytes = 64 * 1024
/** For all references of one file together: each may be short, and there may be a hundred thousand of them. */
const maxFilledIn = 16 * 1024 * 1024

/**
 * Creates a function that fills in the references of a configuration's texts. Problems name the variable or the path,
 * never a value. Paths are relative to `file`, the configuration. A default applies if a variable is unset or empty, as
 * in a shell. `origin` is that of the text: what is in no file has the variable in place of the file's name.
 */
export function expandReferences(
  file: string,
  { env, readFile }: ReferenceSources,
  origin: Pick<ConfigurationText, 'variableAt'> = {},
): Expand {
  const unset = (name: string) => {
    if (origin.variableAt === undefined) return `the environment variable ${name} is not set`
    return name === 'HOOKDRIFT_ORGANISATION'
      ? 'not set. A personal key needs the id of the organisation; or list projects in HOOKDRIFT_PROJECTS'
      : 'not set'
  }
  const read = onceEach((path) => fileText(path, file, readFile))
  let filledIn = 0
  return (text) => {
    const problems: string[] = []
    const expanded = text.replace(reference, (match, ...rest) => {
      if (match === '$${') return '${'
      const { name, fallback, path } = groupsOf(rest)
      const result = name === undefined ? read(path) : (variable(name, fallback, env) ?? { problem: unset(name) })
      filledIn += 'text' in result ? result.text.length : 0
      if (filledIn > maxFilledIn) return ''
      if ('text' in result) return result.text
      problems.push(result.problem)
      return ''
    })
    if (filledIn > maxFilledIn) problems.push('references fill in more than 16 MiB of text, the limit')
    return problems.length === 0 ? { text: expanded } : { problem: problems.join('; ') }
  }
}

/**
 * Reads the configuration from its file, or from the environment where there is no file.
 * @throws AuditError.usage when neither can be read
 */
export function readConfigurationText(
  file: string,
  { env, readFile }: ReferenceSources,
  advice: string,
): ConfigurationText {
  try {
    return { text: readFile(file) }
  } catch (cause) {
    const document = isMissing(cause) ? environmentDocument(env) : undefined
    if (document !== undefined) return document
    const isOfVariable = env.HOOKDRIFT_CONFIG && resolve(env.HOOKDRIFT_CONFIG) === resolve(file)
    const where = isOfVariable ? `${file} (HOOKDRIFT_CONFIG)` : file
    const what = `cannot read the configuration ${where}: ${reasonOf(cause)}`
    const other = isMissing(cause) ? otherName(file, readFile) : undefined
    if (other === undefined) throw AuditError.usage(what, { advice, cause })
    throw AuditError.usage(`${what}, but ${other} is there`, {
      advice: `rename it, or name it with --config ${other}`,
      cause,
    })
  }
}

/** The file next to it whose name has the other ending of YAML; undefined where none is there. */
function otherName(file: string, readFile: ReferenceSources['readFile']): string | undefined {
  const other = file.replace(/\.ya?ml$/, (ending) => (ending === '.yml' ? '.yaml' : '.yml'))
  if (other === file) return undefined
  try {
    readFile(other)
  } catch (error) {
    if (isMissing(error)) return undefined
  }
  return other
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Whether a text contains a value itself: it has no reference, or one with a default. */
export function isLiteral(written: string): boolean {
  const matches = [...written.matchAll(reference)].filter(({ groups }) => groups?.name ?? groups?.path)
  return matches.length === 0 || matches.some(({ groups }) => (groups?.fallback ?? '') !== '')
}

/** A text without its references; of one with a default, the default is left. */
export function withoutReferences(written: string, replacement = ''): string {
  return written.replace(reference, (match, ...rest) =>
    match === '$${' ? match : groupsOf(rest).fallback || replacement,
  )
}

type ReferenceMatch = ReturnType<Expand>

function variable(
  name: string,
  fallback: string | undefined,
  env: ReferenceSources['env'],
): { readonly text: string } | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (fallback !== undefined) return { text: value === undefined || value === '' ? fallback : value }
  return value === undefined ? undefined : { text: value }
}

/** Reads a file once, even if a thousand references name it. */
function onceEach(read: (path: string | undefined) => ReferenceMatch): (path: string | undefined) => ReferenceMatch {
  const matches = new Map<string | undefined, ReferenceMatch>()
  return (path) => {
    const match = matches.get(path) ?? read(path)
    matches.set(path, match)
    return match
  }
}

function fileText(path: string | undefined, file: string, readFile: ReferenceSources['readFile']): ReferenceMatch {
  if (path === undefined) {
    return { problem: `a \${ that begins no reference, expected ${referenceForms}; write $\${ for a literal \${` }
  }
  let text: string
  try {
    text = readFile(resolve(dirname(file), path), maxReferencedBytes)
  } catch (thrown) {
    return { problem: `cannot read ${path}: ${reasonOf(thrown)}` }
  }
  if (Buffer.byteLength(text) > maxReferencedBytes) return { problem: `${path} is larger than 64 KiB, the limit` }
  return { text: text.replace(/\r?\n$/, '') }
}

/** `replace` passes its named groups as the last argument. */
function groupsOf(rest: readonly unknown[]): { name?: string; fallback?: string; path?: string } {
  const groups = rest.at(-1)
  return typeof groups === 'object' && groups !== null ? groups : {}
}

/** Where a value is configured; line and column are of the configuration's file. */
export interface ValuePosition {
  readonly line: number
  readonly column: number
  /** The variable or file that it comes from, such as `${ACME_KEY}`; empty when the file contains it. */
  readonly reference: string
}

/** The reference in a text of the configuration. Names of variables and files are not secret; the rest may be. */
export function referenceIn(written: string): string {
  const [reference] = /(?<!\$)\$\{(?:file:[^{}]{1,200}|[A-Za-z_]\w{0,100})/.exec(written) ?? []
  return reference === undefined ? '' : `${reference}}`
}

/**
 * What may be said of a key: where it is configured, its length, and the beginning of its public part. `file`: undefined
 * where the environment is the configuration.
 * `${ACME_KEY} at hookdrift.yaml:5:10 with 41 characters beginning with CO.demo`
 */
export function describeKey(key: string, { line, column, reference }: ValuePosition, file: string | undefined): string {
  // `CO.<16 public characters>.<64 secret ones>`; of keys of another form nothing is known to be public.
  const [start] = /^CO\.[A-Za-z0-9]{4}(?=[A-Za-z0-9]{4,60}\.[^.]{16,4096}$)/.exec(key) ?? []
  const beginning = start === undefined ? '' : ` beginning with ${start}`
  const filePosition = file === undefined ? '' : `${reference === '' ? 'in' : ' at'} ${file}:${line}:${column}`
  const at = `${reference}${filePosition}`
  return `${at} with ${key.length} characters${beginning}`
}

/** Whether a text is meant as an API key, where another text is expected. Such a text is shown nowhere. */
export function looksLikeKey(text: string): boolean {
  return /^CO\.[A-Za-z0-9]{4,60}/.test(text.trimStart())
}

/** Where the URL of a service is configured: `hookdrift.yaml:4:10`, `${ACME_URL} at hookdrift.yaml:4:10`. */
export function describeUrlPosition({ line, column, reference }: ValuePosition, file: string | undefined): string {
  if (file === undefined) return 'HOOKDRIFT_URL'
  return `${reference === '' ? '' : `${reference} at `}${file}:${line}:${column}`
}
