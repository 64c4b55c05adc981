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
