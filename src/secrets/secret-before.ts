/**
 * The words before an index: at most so many, without quotes, brackets, the signs of Markdown, and a remark in
 * parentheses. They end at any other sign.
 */
export function nameBefore(text: string, end: number, most: number): string {
  let to = skipBack(text, end, blanks)
  if (text[to - 1] === ')') {
    const opened = text.lastIndexOf('(', to)
    if (opened >= 0 && to - opened <= 48) to = skipBack(text, opened, blanks)
  }
  to = skipBack(text, to, closing)
  let from = to
  for (let words = 0; words < most; words++) {
    const start = skipBack(text, from, nameCharacters, 64)
    if (start === from) break
    from = start
    if (text[from - 1] !== ' ') break
    from--
  }
  return text.slice(from, to).trimStart()
}

const blanks = /[ \t!?]/
const closing = /["'`\]*\\”“»’]/
const nameCharacters = /[\w\p{L}\p{M}'’-]/u

function skipBack(text: string, end: number, characters: RegExp, most = 8): number {
  let at = end
  while (at > 0 && end - at < most && characters.test(text.charAt(at - 1))) at--
  return at
}

/**
 * Whether words before a sign end in a short name that is an everyday word too (`pass`, `pin`): `alone` where it is a
 * part of a variable's name or the only word, so that it can hardly be one of a sentence.
 */
export function shortNameIn(words: string): 'alone' | 'within a sentence' | undefined {
  const name = words.slice(words.lastIndexOf(' ') + 1)
  if (name.length > 64 || !/(?:^|[_.-]|[a-z0-9](?=P))(?:pass|pw|pin|puk|clave|identifiants)$/is.test(name))
    return undefined
  return name === words || /[_.-]|[a-z][A-Z]/.test(name) ? 'alone' : 'within a sentence'
}

/** A cheap first check: whether a text contains what `loginBefore` or an option of a command needs. */
export function mayHoldLogin(text: string): boolean {
  return /login|logon|user|creds|cred|account|pin|puk|pw|zugang|anmeld|benutzer|identifiant|usuario|utente|utilizador|ac{1,2}es{1,2}o|(?:^|\s)-[pu]/i.test(
    text,
  )
}

/**
 * What the words before `user/…` or `user:…` say of the part behind the sign at an index: it is a password where they
 * announce a user (`login admin/x1y2`, `credentials: root / x1y2`).
 */
export function loginBefore(text: string, sign: number): 'all' | 'odd' | undefined {
  const end = text[sign - 1] === ' ' ? sign - 1 : sign
  const user = skipBack(text, end, userCharacters, 64)
  if (user === end) return undefined
  let to = skipBack(text, user, blanks)
  if (text[to - 1] === ':' || text[to - 1] === '=') to = skipBack(text, to - 1, blanks)
  if (to === user) return undefined
  to = skipBack(text, to, closing)
  const from = skipBack(text, to, nameCharacters, 32)
  return logins.test(text.slice(from, to)) ? 'odd' : undefined
}

const userCharacters = /[\w.@+-]/
const logins =
  /^(?:.{0,24}[_-])?(?:login|logon|users?|username|account|creds?|credentials?|auth|basic|zugang|zugangsdaten|anmeldung|benutzer|identifiants?|compte|acc[eè]s|usuario|cuenta|acceso|credenciales|utente|accesso|credenziali|utilizador|acesso|credenciais)$/i
