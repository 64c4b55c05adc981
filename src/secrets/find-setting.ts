/** A place in a text where a value may follow the name of a secret. */
export interface Setting {
  /**
   * - `sign`: `:`, `=`, `:=`, `=>`, `->`
   * - `word`: ` is ` and its like
   * - `dash`, `cell`: ` - `, ` | `
   * - `quote`: an opening quote behind a word
   * - `element`: the end of an opening tag
   * - `option`, `short option`: `--name `, `-p `
   * - `slash`: as between user and password
   */
  readonly type: 'sign' | 'word' | 'dash' | 'cell' | 'quote' | 'element' | 'option' | 'short option' | 'slash'
  readonly from: number
  /** Where the value may begin, behind blanks. */
  readonly to: number
  /** Of an option or an element; else empty, because it is before `from`. */
  readonly name: string
}

/** The first one from an index on. */
export function findSetting(text: string, start: number): Setting | undefined {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (kinds[code] === 0) continue
    const found = settingAt(text, at, code)
    if (found !== undefined) return found
  }
  return undefined
}

const codes = { blank: 0x20, colon: 0x3a, equals: 0x3d, greater: 0x3e, hyphen: 0x2d, bar: 0x7c, slash: 0x2f } as const

/** 0 for characters at which none begins. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => (' :=>-|/"\'`'.includes(String.fromCharCode(code)) ? 1 : 0))

function settingAt(text: string, at: number, code: number): Setting | undefined {
  switch (code) {
    case codes.colon:
    case codes.equals:
      // The colon of a seal does not set a value.
      return code === codes.colon && text.startsWith('sealed', at - 6) ? undefined : sign(text, at)
    case codes.hyphen:
      if (text[at + 1] === '>') return setting('sign', at, at + 2)
      return optionAt(text, at)
    case codes.greater:
      return elementAt(text, at)
    case codes.bar:
      return text[at + 1] === ' ' && text[at - 1] === ' ' ? setting('cell', at, at + 1) : undefined
    case codes.slash:
      return text[at + 1] === '/' || text[at - 1] === '/' || text[at - 1] === '<'
        ? undefined
        : setting('slash', at, at + 1)
    case codes.blank:
      return wordAt(text, at)
    default:
      if (code < 128) return text[at - 1] === ' ' ? setting('quote', at, at) : undefined
      return otherSigns.includes(text.charAt(at)) ? setting('sign', at, at + 1) : undefined
  }
}

const otherSigns = '→⇒➜➔'

function setting(type: Setting['type'], from: number, to: number, name = ''): Setting {
  return { type, from, to, name }
}

function sign(text: string, at: number): Setting {
  let to = at + 1
  while (to < at + 3 && (text[to] === '=' || text[to] === '>')) to++
  return setting('sign', at, to)
}

/** In the six languages whose names of secrets are known: is, was, reads. */
const verbs = new Set('is was ist war lautet est était etait es era è é era'.split(' '))
const longestVerb = 6

function wordAt(text: string, at: number): Setting | undefined {
  const next = text.charAt(at + 1)
  if ((next === '-' || next === '–' || next === '—') && text[at + 2] === ' ') return setting('dash', at, at + 3)
  if (!/[iwleèéIWLE]/.test(next)) return undefined
  const end = text.indexOf(' ', at + 1)
  if (end < 0 || end - at - 1 > longestVerb || !verbs.has(text.slice(at + 1, end).toLowerCase())) return undefined
  return setting('word', at, end + 1)
}

/** `--db-password x`, `-p x`, `-u user:x`; only at the beginning of a word. */
function optionAt(text: string, at: number): Setting | undefined {
  if (at > 0 && !/[\s"'`(]/.test(text.charAt(at - 1))) return undefined
  const [whole, short, long] = /^(?:-([pPuU])|--([A-Za-z][\w-]{0,40})) /.exec(text.slice(at, at + 45)) ?? []
  if (whole === undefined) return undefined
  const isUser = long === 'user' || long === 'proxy-user'
  return setting(short !== undefined || isUser ? 'short option' : 'option', at, at + whole.length, short ?? long)
}

const longestTag = 96

/** The name of the tag that ends here. */
function elementAt(text: string, at: number): Setting | undefined {
  let from = at - 1
  while (from >= 0 && at - from < longestTag && text[from] !== '<' && text[from] !== '>') from--
  if (text[from] !== '<' || text[at - 1] === '/') return undefined
  const name = /^[A-Za-z][\w.:-]{0,60}/.exec(text.slice(from + 1, at))?.[0]
  return name === undefined ? undefined : setting('element', at, at + 1, name)
}
