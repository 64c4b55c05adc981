import type { Json } from '../model/json.ts'

/** JSON as Go's encoder writes it: `<`, `>` and `&` escaped everywhere. */
export function goJson(value: Json): string {
  return escapeMarkup(JSON.stringify(value))
}

function escapeMarkup(text: string): string {
  return markup.test(text)
    ? text.replace(everyMarkup, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

const markup = /[<>&\u2028\u2029]/
const everyMarkup = new RegExp(markup, 'g')
