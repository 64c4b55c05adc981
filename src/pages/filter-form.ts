import { html, type Markup } from '../report/html/markup.ts'
import type { SiteQuery } from './page.ts'

interface FilterForm {
  /** The page that it filters. */
  readonly path: string
  readonly query: SiteQuery
  /** The run that the page is as of; undefined: the last one. */
  readonly run: number | undefined
  readonly choices: readonly FilterChoice[]
}

interface FilterChoice {
  readonly name: string
  readonly label: string
  readonly words: readonly string[]
}

/** Filters of a list, as a form that asks for the same page. The script filters by its text field as you type. */
export function filterForm({ path, query, run, choices }: FilterForm): Markup {
  const selects = choices.map(
    ({ name, label, words }) =>
      html`<label>${label} <select name="${name}"><option value="">any</option>${words.map((word) => showOption(word, query.one(name)))}</select></label> `,
  )
  const stay = run === undefined ? html`` : html`<input type="hidden" name="run" value="${run}">`
  return html`<form class="filters" method="get" action="${path}" role="search">${stay}<label>Text <input name="text" type="search" value="${query.one('text') ?? ''}" data-filter="" autocomplete="off"></label> ${selects}<button>Filter</button></form>
`
}

function showOption(word: string, chosen: string | undefined): Markup {
  return word === chosen ? html`<option selected="">${word}</option>` : html`<option>${word}</option>`
}
