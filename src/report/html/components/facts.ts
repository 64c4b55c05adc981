import { html, type Markup } from '../markup.ts'

export type Fact = readonly [name: string, value: string | Markup]

/** Names and values. */
export function factList(facts: readonly Fact[]): Markup {
  return html`<dl class="facts">
${facts.map(
  ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
)}</dl>
`
}
