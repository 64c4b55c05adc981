/** The words of a name in small letters, without accents and the numbers at their ends: `dbPassword2` is `db`, `password`. */
export function wordsOfName(name: string): string[] {
  return withoutAccents(name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/(?<!\d)\d+$/, ''))
}

/** `contraseña` is `contrasena`. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}/gu, '') : text
}
