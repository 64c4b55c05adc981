import { isSecretName, mayHoldSecretName } from './known-secrets.ts'
import { isPlain } from './plain-text.ts'
import type { TextSpan } from './text-span.ts'

/**
 * Finds the values that a text itself calls secret: those that follow a secret's name, in the ways in which people write
 * it (`password: x`, `API key (prod): x`, `export DB_PASS=x`, `--token x`, `<password>x</password>`, `login: admin/x1y2`).
 * A value ends at a blank or its closing quote: what follows without a blank is part of it. In order for each pattern,
 * and perhaps one within another.
 */
export function findAssigned(text: string): readonly TextSpan[] {
  if (text.length < shortest || !(mayHoldSecretName(text) || mayHoldLogin.test(text))) return []
  return patterns.flatMap((pattern) => [...findValues(text, pattern)])
}

/** `pw: 1234`, without the blank. */
const shortest = 7
/** A cheap first check: whether a text has a word that `isSecretName` does not know, and patterns do. */
const mayHoldLogin =
  /login|logon|user|cred|account|basic|pin|puk|pw|zugang|anmeld|benutzer|identifiant|compte|usuario|cuenta|utente|utilizador|acc?[eè]s|(?:^|[^a-z\d])-[pu]/i

/**
 * Which values are secret: any, all of four characters or in quotes, of these all but plain words without quotes, or all
 * but plain ones.
 */
type Claim = 'any' | 'all' | 'odd or quoted' | 'odd' | undefined

const word = `[\\w\\p{L}\\p{M}'’-]`
/** Quotes and signs of Markdown behind a name, and a remark: `password (staging): x`. */
const closing = `(?:[ \\t!?"'\`\\]*\\\\“”’»]|\\([^()]{0,48}\\)){0,8}`
/** Signs of Markdown, JSON and YAML before a value, and its quote. */
const opening = `(?:[\\s*|\\\\>]|[[(](?=["'\`“„‘«‹])){0,12}`
/** In the six languages whose names of secrets are known: is, was, reads. */
const verbs = 'is|was|ist|war|lautet|est|était|etait|es|era|è|é'
const users =
  'login|logon|users?|username|account|creds?|credentials?|auth|basic|zugang|zugangsdaten|anmeldung|benutzer|identifiants?|compte|acc[eè]s|usuario|cuenta|acceso|credenciales|utente|accesso|credenziali|utilizador|acesso|credenciais'

interface Pattern {
  /** Ends where a value may begin. No repetition in it is unbounded within another: it reads a text in one pass. */
  readonly pattern: RegExp
  readonly claim: (groups: Groups) => Claim
  /** Where a value ends. Default: at a blank or a quote. */
  readonly end?: RegExp
}

type Groups = Readonly<Record<string, string | undefined>>

const quote = '["\'`“„‘«‹]'
const notWithinWord = '(?<![\\p{L}\\p{N}])'

const patterns: readonly Pattern[] = [
  {
    pattern: patternOf(
      `(?<!${word})(?<words>(?:${word}+ ){0,6}?${word}+)${closing}(?:(?<sign>[:=][=>]{0,2}|->|[→⇒➜➔])|(?<=\\s)(?<verb>${verbs})(?=\\s)|(?<=\\s)(?<gap>[-–—](?= )|\\|(?= )|(?=${quote})))(?<opened>${opening})(?:(?<port>(?<=:)(?=\\d{2,5}(?!\\w)))|)`,
    ),
    claim: claimOf,
  },
  // `- name: DB_PASSWORD`, and `value: …` next to it.
  {
    pattern: patternOf(`(?<name>[\\w.-]{1,64})["'\`,;\\s]{1,16}val(?:ue)?["'\`]?\\s?[:=]${opening}`),
    claim: ofName,
  },
  {
    pattern: patternOf(`<(?<name>[a-z][\\w.:-]{0,60})[^<>]{0,96}(?<!/)>(?:<!\\[CDATA\\[)?(?=[^<]{1,8192}</)`),
    claim: ofName,
    end: /</g,
  },
  {
    pattern: patternOf(
      `${notWithinWord}--(?<name>[a-z][\\w-]{0,40})[^\\S\\r\\n]${opening}(?!-|(?:option|flag|argument|parameter|switch|from|with|instead|must|should)s?\\b)`,
    ),
    claim: ofName,
  },
  // Not a port or a path.
  {
    pattern: patternOf(`${notWithinWord}--?p[^\\S\\r\\n]${opening}(?![-/.~$]|[\\d:]+(?:/tcp|/udp)?(?!\\S))`),
    claim: () => 'all',
  },
  {
    pattern: patternOf(
      `${notWithinWord}--?(?:u|user|proxy-user)[^\\S\\r\\n]${opening}${quote}?[^\\s:]{1,64}:(?=\\S\\S)`,
    ),
    claim: () => 'any',
  },
  {
    pattern: patternOf(`(?<!\\p{L})(?:${users})${closing}[:=]?${closing}(?<=\\W)[\\w.@+-]{1,64} ?[/:](?!/)${opening}`),
    claim: () => 'odd',
  },
]

function patternOf(source: string): RegExp {
  return new RegExp(source, 'giu')
}

function* findValues(text: string, { pattern, claim, end = /[\s"'`”“’»]|<\//g }: Pattern): Generator<TextSpan> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const from = pattern.lastIndex
    const value = valueAt(text, from, claim(match.groups ?? {}), end)
    if (value === undefined) continue
    yield value
    pattern.lastIndex = value.to
  }
}

/** Quotes, and those that close them. */
const quotes: Readonly<Record<string, RegExp>> = {
  '"': /["\n]/g,
  "'": /['\n]/g,
  '`': /[`\n]/g,
  '“': /[”“\n]/g,
  '„': /[“”\n]/g,
  '‘': /[’\n]/g,
  '«': /[»\n]/g,
  '‹': /[›\n]/g,
}

function valueAt(text: string, start: number, claim: Claim, end: RegExp): TextSpan | undefined {
  if (claim === undefined) return undefined
  const closed = quotes[text.charAt(start)]
  // `Authorization: Token abc`: the scheme is not secret, the text after it is.
  const scheme = /(?:bearer|basic|token|digest|apikey|key) (?=\S|$)/iy
  scheme.lastIndex = start
  const from = closed !== undefined || scheme.test(text) ? Math.max(start + 1, scheme.lastIndex) : start
  const to = indexOf(text, closed ?? end, from)
  const value = text.slice(from, to)
  if (value === '' || (closed === undefined && value.length < 4 && claim !== 'any')) return undefined
  const mayBePlain = claim === 'odd' || (claim === 'odd or quoted' && closed === undefined)
  return mayBePlain && isPlain(value) ? undefined : { from, to }
}

function indexOf(text: string, sign: RegExp, from: number): number {
  sign.lastIndex = from
  return sign.exec(text)?.index ?? text.length
}

/** What the words before a sign say of the value behind it; undefined where they say nothing. */
function claimOf({ words = '', sign, verb, gap, opened = '', port }: Groups): Claim {
  const near = words.split(' ').slice(-3).join(' ')
  const isBehindSign = sign !== undefined
  if (isSecretName(near)) {
    if (verb !== undefined) return 'odd or quoted'
    // `token-service:8443`
    if (port !== undefined && !isPasswordName(near)) return undefined
    const isAll = isBehindSign ? !opened.includes('\n') : gap === '' && isPasswordName(near)
    return isAll ? 'all' : 'odd'
  }
  const short = /(?:^|[^\p{L}\d]|(?=P))(?:pass|pw|pin|puk|clave|identifiants)$/iu.exec(near)
  if (short !== null) return isBehindSign && isNameOfVariable(near) ? 'all' : 'odd'
  const isAnnounced = (isBehindSign || verb !== undefined || gap === '') && isSecretName(words)
  return isAnnounced ? 'odd' : undefined
}

/** Whether `pass` or `pin` can hardly be a word of a sentence: it is alone, or a part of a name. */
function isNameOfVariable(words: string): boolean {
  const last = words.slice(words.lastIndexOf(' ') + 1)
  return last === words || /[_.-]|[a-z][A-Z]/.test(last)
}

/** Not `token "x"`, which messages about syntax say. */
function isPasswordName(name: string): boolean {
  return /(?:pass\w{0,8}|pwd|wort|senha|contrase\S{1,2}a|mdp)$/i.test(name)
}

function ofName({ name = '' }: Groups): Claim {
  return isSecretName(name) || /(?:^|[^a-z\d])(?:pass|pw|pin)$/i.test(name) ? 'all' : undefined
}
