/** As much of it as is used here; the package has no types of its own. */
declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string
    readonly metrics: readonly Sample[]
  }
  interface Sample {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  function parse(text: string): Family[]

  export { parse as default }
}
