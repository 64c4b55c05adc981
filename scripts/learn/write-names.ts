import type { Seeded } from './seeded.ts'
import type { WordLists } from './word-lists.ts'

/** Writes ordinary texts for places of random words: names, slugs, identifiers, paths, versions, addresses. */
export function nameWriter({ words, identifiers }: WordLists, random: Seeded): () => string {
  const { below, one, text } = random
  const word = () => {
    const { words: list } = one(words)
    // Long words are rare in names, and where words have no blanks between them.
    return [one(list), one(list)].sort((a, b) => a.length - b.length)[below(4) === 0 ? 1 : 0] ?? ''
  }
  const some = (least: number, most: number) => Array.from({ length: least + below(most - least + 1) }, word)
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
  const number = () => text('0123456789', 1 + below(1 + below(5)))
  const two = (end: number) => String(1 + below(end)).padStart(2, '0')
  const year = () => String(2010 + below(30))
  const day = () => [year(), two(12), two(28)].join(one(['-', '-', '', '.', '/', '_']))
  const time = () =>
    `${day()}T${[two(23), two(59), two(59)].join(one([':', '', '-']))}${one(['Z', 'Z', '', '.123Z', '+02:00'])}`
  const version = () => [number(), number(), number()].slice(below(2)).join('.')
  const release = () =>
    version() +
    one(['', '', `-${one(['alpha', 'beta', 'rc', 'next'])}.${number()}`, `+${one(['build', 'sha'])}.${number()}`])
  const joined = (parts: readonly string[]) => parts.join(one(['-', '-', '_', '_', '.', '/']))
  const camel = (parts: readonly string[]) => parts.map((part, at) => (at === 0 ? part : capital(part))).join('')
  const host = () =>
    [
      ...some(0, 2).map((label) => (below(4) === 0 ? `${label}-${number()}` : label)),
      word(),
      one(['com', 'de', 'net', 'org', 'io', 'example', 'co.uk', 'eu', 'internal', 'svc.cluster.local']),
    ].join('.')
  const address = () => Array.from({ length: 4 }, () => String(below(256))).join('.')
  const path = () =>
    some(1, 5)
      .map((part) =>
        one([part, part, part, capital(part), `${part}-${word()}`, `${part}_${word()}`, `v${number()}`, number()]),
      )
      .join('/')
  const styles: readonly (() => string)[] = [
    () => joined(some(2, 5)),
    () => joined(some(2, 5)),
    () => joined([...some(1, 4), one([number, day, () => `v${number()}`, version])()]),
    () => joined([...some(1, 2), number(), ...some(1, 3), number()]),
    () => joined([`${word()}${number()}`, ...some(1, 3)]),
    () => camel(some(2, 5)),
    () => capital(camel(some(2, 5))),
    () =>
      camel([...some(1, 3), one(['id', 'URL', 'API', 'HTTP', 'JSON', 'UUID', 'ID', 'SSO']), ...some(0, 2)]) +
      one(['', '', number()]),
    () => joined(some(2, 4).map(capital)),
    () =>
      joined([
        ...some(1, 4).map(capital),
        `${capital(one(['sha', 'v', 'md', 'utf', 'base', word()]))}${one(['', '-'])}${number()}`,
      ]),
    () => some(2, 5).join('_').toUpperCase() + one(['', '', `_${number()}`, `_V${number()}`]),
    () => joined(some(1, 3).map((part) => part.toUpperCase())),
    () => some(1, 3).join(''),
    () => one(identifiers),
    () => one(identifiers),
    () => [one(identifiers), one(identifiers)].join('.'),
    () => path() + one(['', '', `.${one(['ts', 'json', 'yaml', 'go', 'md', 'tar.gz', 'html', 'min.js'])}`]),
    () => `/${path()}/`,
    () => `@${word()}/${some(1, 3).join('-')}@${release()}`,
    () => `${joined(some(1, 3))}:${release()}`,
    () => `${some(1, 3).join('-')}-${release()}`,
    () => host(),
    () =>
      `${one(['https', 'https', 'http', 'amqp', 'postgres'])}://${host()}${one(['', `:${number()}`])}/${path()}${one(['', '', `?${word()}=${word()}&${word()}=${number()}`, `#${word()}`])}`,
    () => `${one([word(), `${word()}.${word()}`, `${word()}_${number()}`])}@${host()}`,
    () =>
      `arn:aws:${word()}:${one(['eu', 'us', 'ap'])}-${one(['central', 'west', 'east'])}-${number()}:${text('0123456789', 12)}:${joined(some(1, 4))}`,
    () => `projects/${some(1, 3).join('-')}-${number()}/${path()}`,
    () =>
      `${one(['application', 'text', 'image', 'audio'])}/${one(['', 'vnd.', 'x-'])}${joined(some(1, 3))}${one(['', '+json', '+xml', ';charset=utf-8'])}`,
    () => `${joined(some(1, 3))}-${day()}`,
    () => time(),
    () => `${joined(some(1, 2))}-${time()}`,
    () => address(),
    () => `${one(['ip', 'ec2', 'node'])}-${address().replaceAll('.', '-')}.${host()}`,
    () => `+${text('0123456789', 8 + below(6))}`,
    () => text('0123456789', 6 + below(24)),
    () => `${word()}=${one([word(), number(), `${word()},${word()}`])}`,
    () => `${camel(some(1, 2))}(${camel(some(1, 2))})`,
    () => `${camel(some(1, 2))}.${camel(some(1, 2))}[${one([number(), `'${word()}'`, `"${word()}"`])}]`,
    () => `{"${word()}":${one([number(), `"${word()}"`, 'true'])}}`,
    () => `${word()},${word()};${word()}`,
    () => `$\{${word()}}/${word()}`,
  ]
  return () => one(styles)()
}
