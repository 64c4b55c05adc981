import { shownJson } from '../../model/exact-number.ts'
import type { JsonObject } from '../../model/json.ts'
import { type Fact, factList } from '../../report/html/components/facts.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { shorten } from '../../report/text/shorten.ts'

/** The attributes of a version, secrets as sealed. */
export function showAttributes(attributes: JsonObject): Markup {
  const facts = Object.entries(attributes).map(
    ([name, value]): Fact => [
      name,
      html`<code>${shorten(typeof value === 'string' ? value : shownJson(value), 2000)}</code>`,
    ],
  )
  return factList(facts)
}
