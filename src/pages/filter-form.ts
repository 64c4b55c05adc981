import { html, type Markup, nothing } from '../report/html/markup.ts'
import type { SiteQuery } from './page.ts'

/** A field of a filter. */
export interface FilterField {
  /** The parameter of the address that it sets. */
  readonly name: string
  /** With the value that the address gives it. */
  show(query: SiteQuery): Markup
}

/**
 * Filters as a form that needs no script: each is a parameter of the address. The run of the page stays. Where there is
 * little room, a fold leaves it to what was found, and says how many are set.
 */
export function showFilterForm(
  path: string,
  query: SiteQuery,
  fields: readonly FilterField[],
  {
    more = [],
    hiddenNames = [],
  }: {
    /** Those that people set less often: behind a fold, unless one of them is set. */
    readonly more?: readonly FilterField[]
    /** Parameters that the form keeps without showing them. */
    readonly hiddenNames?: readonly string[]
  } = {},
): Markup {
  const run = query.one('run')
  const countSet = (group: readonly FilterField[]) => group.filter(({ name }) => query.one(name) !== undefined).length
  const set = countSet([...fields, ...more])
  const rest =
    more.length > 0 &&
    html`<details class="more-filters"${countSet(more) > 0 && html` open=""`}><summary>More filters</summary>
<div>${more.map((field) => field.show(query))}</div></details>
`
  return html`<details class="filter-fold"><summary>Filter${set !== 0 && html` (${set} set)`}</summary>
<form class="filters" method="get" action="${path}" role="search">${['run', ...hiddenNames].map((name) => keep(name, query))}
${fields.map((field) => field.show(query))}<p class="check"><button>Filter</button> <a href="${run === undefined ? path : `${path}?run=${encodeURIComponent(run)}`}">Clear</a></p>
${rest}</form></details>
`
}

function keep(name: string, query: SiteQuery): Markup {
  const value = query.one(name)
  return value === undefined ? nothing : html`<input type="hidden" name="${name}" value="${value}">`
}

/** More would make the page large; what is not suggested can be typed. */
const mostSuggested = 100

/**
 * A field for each value that the address gives, at least one. `hint` is shown in an empty one, in words that no one takes
 * for a value. `suggested`: values that a browser offers.
 */
export function textField(name: string, label: string, hint: string, suggested: readonly string[] = []): FilterField {
  const list = `values-of-${name}`
  const options = suggested.slice(0, mostSuggested).map((value) => html`<option value="${value}"></option>`)
  const [suggesting, suggestions] =
    options.length === 0
      ? [nothing, nothing]
      : [html` list="${list}"`, html`<datalist id="${list}">${options}</datalist>`]
  const show = (query: SiteQuery) => {
    const [first = '', ...others] = query.all(name)
    const fields = [first, ...others].map(
      (value, at) =>
        html`<label>${at === 0 ? label : `or ${label.toLowerCase()}`} <input name="${name}" value="${value}" placeholder="${hint}" size="14"${suggesting}></label>
`,
    )
    return html`${fields}${suggestions}`
  }
  return { name, show }
}

type Choice = string | readonly [value: string, text: string]

/** `usual`: what holds where nothing is chosen. */
export function choiceField(name: string, label: string, choices: readonly Choice[], usual: string): FilterField {
  const show = (query: SiteQuery) => {
    const chosen = query.one(name)
    const options = choices.map((choice) => {
      const [value, text] = typeof choice === 'string' ? [choice, choice] : choice
      const selected = value === chosen && html` selected=""`
      return html`<option value="${value}"${selected}>${text}</option>`
    })
    return html`<label>${label} <select name="${name}"><option value="">${usual}</option>${options}</select></label>
`
  }
  return { name, show }
}

/** A box that sets a parameter to `true`. */
export function checkField(name: string, label: string): FilterField {
  const show = (query: SiteQuery) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="true"${query.one(name) !== undefined && html` checked=""`}> ${label}</label>
`
  return { name, show }
}
