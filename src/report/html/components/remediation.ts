import { html, type Markup, withCode } from '../markup.ts'

/** How to fix violations of a rule. Steps and choices, which come on one line, become a list. */
export function remediation(text: string): Markup {
  const steps = stepsOf(text)
  if (steps === undefined)
    return html`<p class="remediation"><b>How to fix.</b> ${withCode(text)}</p>
`
  const items = steps.items.map((step) => html`<li>${withCode(step)}</li>`)
  const list = steps.isOrdered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`
  return html`<div class="remediation"><p><b>How to fix.</b></p>${list}</div>
`
}

function stepsOf(text: string): { isOrdered: boolean; items: readonly string[] } | undefined {
  if (text.startsWith('- ')) return { isOrdered: false, items: text.slice(2).split(' - ') }
  if (!text.startsWith('1. ')) return undefined
  const items: string[] = []
  let rest = text.slice('1. '.length)
  for (let next = 2; ; next++) {
    const end = rest.indexOf(` ${next}. `)
    if (end === -1) return { isOrdered: true, items: [...items, rest] }
    items.push(rest.slice(0, end))
    rest = rest.slice(end + ` ${next}. `.length)
  }
}
