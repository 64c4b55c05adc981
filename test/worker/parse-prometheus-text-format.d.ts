/** As much of it as is used here; the package has no types of its own. */
declare module 'parse-prometheus-text-format' {
  function parse(text: string): {
    readonly name: string
    readonly metrics: readonly { readonly value?: string; readonly labels?: Readonly<Record<string, string>> }[]
  }[]
  export = parse
}
