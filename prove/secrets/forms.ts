import type { Canaries } from './canaries.ts'

/** Makes a text with a secret in it, which remembers its place. */
export type Form = (canaries: Canaries, place: string) => string

/** How people write a secret next to its name. */
export const assignments: Readonly<Record<string, Form>> = {
  'a colon': (c, at) => `password: ${c.password(at)}`,
  'a short name': (c, at) => `pwd: ${c.password(at)}`,
  'an exported variable': (c, at) => `export DB_PASS=${c.password(at)}`,
  'a variable without export': (c, at) => `DB_PW=${c.password(at)}`,
  'a long option': (c, at) => `mysqldump --password ${c.password(at)} orders`,
  'a long option with a sign': (c, at) => `mysqldump --password=${c.password(at)} orders`,
  'a long option for a token': (c, at) => `deploy --auth-token ${c.password(at)} now`,
  'a short option': (c, at) => `mysql -u root -p ${c.password(at)}`,
  'an option for user and password': (c, at) => `curl -u admin:${c.password(at)} https://a.example/`,
  'a long option for both': (c, at) => `curl --user admin:${c.password(at)} https://a.example/`,
  'an element': (c, at) => `<password>${c.password(at)}</password>`,
  'an attribute': (c, at) => `<user name="a" password="${c.password(at)}"/>`,
  'a pair of attributes': (c, at) => `<add key="DbPassword" value="${c.password(at)}"/>`,
  'a pair of YAML': (c, at) => `- name: DB_PASSWORD\n  value: ${c.password(at)}`,
  'Markdown, the name in bold': (c, at) => `**Password:** \`${c.password(at)}\``,
  'Markdown, the colon outside': (c, at) => `**Password**: ${c.password(at)}`,
  'Markdown, a table': (c, at) => `| password | ${c.odd(at)} |`,
  'an arrow': (c, at) => `password -> ${c.password(at)}`,
  'a typographic arrow': (c, at) => `password → ${c.password(at)}`,
  'an arrow of PHP': (c, at) => `'password' => '${c.password(at)}'`,
  JSON: (c, at) => `{"password":"${c.password(at)}"}`,
  YAML: (c, at) => `auth:\n  user: admin\n  password: ${c.password(at)}\n`,
  'quotes behind the name': (c, at) => `passphrase "${c.password(at)}"`,
  'typographic quotes': (c, at) => `password: “${c.password(at)}”`,
  'a PIN': (c, at) => `PIN: ${c.pin(at)}`,
  'a user and a slash': (c, at) => `login: admin/${c.odd(at)}`,
  'a user and a slash without a sign': (c, at) => `credentials admin/${c.odd(at)}`,
  'a user and a colon': (c, at) => `login admin:${c.odd(at)}`,
  is: (c, at) => `the password is ${c.odd(at)}`,
  German: (c, at) => `Passwort: ${c.password(at)}`,
  'German, another word': (c, at) => `das Kennwort lautet ${c.odd(at)}`,
  'German, a compound': (c, at) => `API-Schlüssel: ${c.password(at)}`,
  French: (c, at) => `mot de passe : ${c.password(at)}`,
  'French, a key': (c, at) => `clé d'API = ${c.password(at)}`,
  Spanish: (c, at) => `contraseña: ${c.password(at)}`,
  'Spanish, is': (c, at) => `la clave es ${c.odd(at)}`,
  Italian: (c, at) => `parola d'ordine: ${c.password(at)}`,
  'Italian, a key': (c, at) => `chiave segreta: ${c.password(at)}`,
  Portuguese: (c, at) => `senha: ${c.password(at)}`,
  'Portuguese, another word': (c, at) => `palavra-passe = ${c.password(at)}`,
  'full width': (c, at) => `ｐａｓｓｗｏｒｄ：${c.password(at)}`,
  'a name with a soft hyphen': (c, at) => `pass\u00adword: ${c.password(at)}`,
  'a remark in between': (c, at) => `password (staging): ${c.password(at)}`,
  'a connection string': (c, at) => `Server=db;User Id=sa;Password=${c.password(at)};Encrypt=yes`,
  Azure: (c, at) => `AccountName=acme;AccountKey=${c.key(at)}`,
}

/** Secrets that are taken apart, or have characters that a reader does not see. */
export const disguises: Readonly<Record<string, Form>> = {
  'a zero width space': (c, at) => c.broken(at, '\u200b'),
  'a soft hyphen': (c, at) => c.broken(at, '\u00ad'),
  'a word joiner': (c, at) => c.broken(at, '\u2060'),
  'a variation selector': (c, at) => c.broken(at, '\ufe0f'),
  'full width digits and letters': (c, at) => c.wide(at),
  'a seed in groups by blanks': (c, at) => `2FA ${c.grouped(at, 'base32', 4, ' ')}`,
  'a seed in small letters': (c, at) => `2FA ${c.grouped(at, 'small base32', 4, ' ')}`,
  'a seed in groups by dashes': (c, at) => c.grouped(at, 'base32', 4, '-'),
  'hex in groups of four by blanks': (c, at) => c.grouped(at, 'hex', 4, ' '),
  'hex in groups of eight by blanks': (c, at) => c.grouped(at, 'hex', 8, ' '),
  'hex in groups of four by dashes': (c, at) => c.grouped(at, 'hex', 4, '-'),
  'hex in pairs by colons': (c, at) => c.grouped(at, 'hex', 2, ':', 20),
  'hex in pairs by blanks': (c, at) => c.grouped(at, 'hex', 2, ' ', 20),
  'groups of five by blanks': (c, at) => c.grouped(at, 'base62', 5, ' ', 5),
}

/** The forms of known credentials, and random texts: what a place for a word may have. */
export const credentials: readonly Form[] = [
  (c, at) => c.known(at),
  (c, at) => c.random(at),
  (c, at) => c.key(at),
  (c, at) => c.odd(at),
  (c, at) => c.token(at),
  (c, at) => `postgres://app:${c.password(at)}@db.example/app`,
  (c, at) => `AccountKey=${c.key(at)}`,
  (c, at) => c.printable(at),
  (c, at) => c.grouped(at, 'hex', 4, '-'),
]
