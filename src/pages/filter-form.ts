import { html, type Markup, nothing } from '../report/html/markup.ts'
import type { SiteQuery } from './page.ts'

/** A field of a filter, with the value that the address gives it. */
type Field = (query: SiteQuery) => Markup

/** Filters as a form that needs no script: each is a parameter of the address. The run of the page stays. */
export function showFilterForm(path: string, query: SiteQuery, fields: readonly Field[]): Markup {
  const run = query.one('run')
  return html`<form class="filters" method="get" action="${path}" role="search">${run === undefined ? nothing : html`<input type="hidden" name="run" value="${run}">`}
${fields.map((field) => field(query))}<button>Filter</button> <a href="${run === undefined ? path : `${path}?run=${encodeURIComponent(run)}`}">Clear</a>
</form>
`
}

export function textField(name: string, label: string, example: string): Field {
  return (query) =>
    html`<label>${label} <input name="${name}" value="${query.one(name) ?? ''}" placeholder="${example}" size="14"></label>
`
}

/** `usual`: what holds where nothing is chosen. */
export function choiceField(name: string, label: string, words: readonly string[], usual: string): Field {
  return (query) => {
    const chosen = query.one(name)
    const options = words.map((word) =>
      word === chosen ? html`<option selected="">${word}</option>` : html`<option>${word}</option>`,
    )
    return html`<label>${label} <select name="${name}"><option value="">${usual}</option>${options}</select></label>
`
  }
}
