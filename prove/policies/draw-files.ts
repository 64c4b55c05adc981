import type { Random } from '../../src/demo/random.ts'
import { wrongFiles } from '../../test/policy/wrong-files.ts'

/** Files of a policy by their names; the first one is the policy. */
export interface PolicyFiles {
  /** In words. */
  readonly text: string
  readonly files: Readonly<Record<string, string>>
}

const name = 'policy.yaml'
const one = (text: string, yaml: string): PolicyFiles => ({ text, files: { [name]: yaml } })

const kinds = [
  aliasBomb,
  aliasFlood,
  nesting,
  huge,
  loops,
  chains,
  expression,
  pattern,
  garbage,
  mutated,
  glob,
] as const

export function drawFiles(random: Random): PolicyFiles {
  return random.pick(kinds)(random)
}

/** Aliases of aliases: a few lines that stand for very many values. */
function aliasBomb(random: Random): PolicyFiles {
  const [depth, fan] = [2 + random.below(30), 2 + random.below(12)]
  const place = random.pick(['ignore', 'waivers', 'rules', 'due', 'custom', 'x'])
  const isMap = random.chance(0.3)
  const level = (at: number) => {
    const inner = at === 0 ? 'x' : `*a${at - 1}`
    const members = Array.from({ length: fan }, (_, member) => (isMap ? `k${member}: ${inner}` : inner)).join(', ')
    return `&a${at} ${isMap ? `{ ${members} }` : `[${members}]`}`
  }
  const levels = Array.from({ length: depth }, (_, at) => `  k${at}: ${level(at)}\n`).join('')
  return one(`aliases of aliases in ${place}, ${depth} deep, ${fan} wide`, `${place}:\n${levels}`)
}

function aliasFlood(random: Random): PolicyFiles {
  const count = 10 ** (1 + random.below(5))
  const isLong = random.chance(0.5)
  const anchor = isLong ? `"${'long '.repeat(1000)}"` : '/name'
  return one(`${count} aliases of one ${isLong ? 'long ' : ''}text`, `ignore: [&a ${anchor}${', *a'.repeat(count)}]\n`)
}

function nesting(random: Random): PolicyFiles {
  const depth = 10 ** (1 + random.below(5)) + random.below(9)
  const [open, close] = random.pick<readonly [string, string]>([
    ['[', ']'],
    ['{ a: ', '}'],
    ['- ', ''],
    ['? ', ''],
    ['{[', ']}'],
  ])
  const isClosed = random.chance(0.5)
  return one(
    `${JSON.stringify(open)} ${depth} deep${isClosed ? '' : ', not closed'}`,
    `rules: ${open.repeat(depth)}x${isClosed ? close.repeat(depth) : ''}\n`,
  )
}

function huge(random: Random): PolicyFiles {
  const size = 10 ** (3 + random.below(5))
  const what = random.pick(['one scalar', 'unknown members', 'rules', 'comments', 'blanks', 'anchors', 'braces'])
  const text = {
    'one scalar': (count: number) => `rules: "${'x'.repeat(count)}"\n`,
    'unknown members': (count: number) => lines(count / 12, (at) => `unheard-${at}: 1`),
    rules: (count: number) => `rules:\n${lines(count / 20, (at) => `  endpoint/x-${at}: off`)}`,
    comments: (count: number) => '# x\n'.repeat(count / 4),
    blanks: (count: number) => `rules:${' '.repeat(count)}{}\n`,
    anchors: (count: number) => `ignore:\n${lines(count / 15, (at) => `- &a${at} /name`)}`,
    braces: (count: number) => `rules: ${'}'.repeat(count)}\n`,
  }[what]
  return one(`${size} characters of ${what}`, text?.(size) ?? '')
}

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => `${line(at)}\n`).join('')
}

/** Files that extend each other in circles. */
function loops(random: Random): PolicyFiles {
  const length = 1 + random.below(20)
  const files = Array.from({ length }, (_, at): [string, string] => {
    const extended = [
      `./${fileAt((at + 1) % length)}`,
      ...(random.chance(0.3) ? [`./${fileAt(random.below(length))}`] : []),
    ]
    return [fileAt(at), `extends: [${extended.join(', ')}]\nrules: {}\n`]
  })
  return { text: `a loop of ${length} files`, files: Object.fromEntries(files) }
}

/** Files that extend the same ones: each level twice as many ways. */
function chains(random: Random): PolicyFiles {
  const [depth, fan] = [1 + random.below(40), 1 + random.below(6)]
  const files = Array.from({ length: depth }, (_, at): [string, string] => {
    const extended = at === depth - 1 ? '' : Array.from({ length: fan }, () => `./${fileAt(at + 1)}`).join(', ')
    return [fileAt(at), `extends: [${extended}]\n`]
  })
  return { text: `${depth} files, each extends the next ${fan} times`, files: Object.fromEntries(files) }
}

function fileAt(at: number): string {
  return at === 0 ? name : `f${at}.yaml`
}

const macros = ['exists', 'all', 'map', 'filter', 'exists_one'] as const

/** Custom rules whose expressions take long to read or to evaluate. */
function expression(random: Random): PolicyFiles {
  const size = 1 + random.below(60)
  const text = random.pick<() => string>([
    () => {
      const list = `[${Array.from({ length: 1 + random.below(200) }, (_, at) => at).join(',')}]`
      return Array.from({ length: 1 + random.below(8) }).reduce<string>(
        (inner, _, at) => `${list}.${random.pick(macros)}(x${at}, ${inner})`,
        'true',
      )
    },
    () => `${'('.repeat(size * 20)}true${')'.repeat(size * 20)}`,
    () => Array.from({ length: size * 20 }, () => 'true').join(' && '),
    () => `${'!'.repeat(size * 20)}true`,
    () => `size(${Array.from({ length: size }, () => 'resource.name').join(' + ')}) > 0`,
    () => `"${'a'.repeat(size * 1000)}".contains("${'b'.repeat(size)}")`,
    () => `re(resource.description, "${'(a*)*'.repeat(size)}$")`,
    () => `re(resource.description, "(${'a?'.repeat(size)}){${size}}")`,
    () => `resource.description.split("").map(x, resource.description.split("").size()).size() > ${size}`,
    () => `${'true ? '.repeat(size)}true${' : false'.repeat(size)}`,
    () => `[${'['.repeat(size)}${']'.repeat(size)}].size() == 1`,
    () => 'resource'.concat('.a'.repeat(size * 10), ' == 1'),
  ])()
  const quoted = JSON.stringify(text)
  return one(
    `an expression of ${text.length} characters: ${text.slice(0, 60)}`,
    `custom:\n  - { id: acme/x, kind: endpoint, assert: ${quoted}, severity: low, message: "{resource.name}" }\n`,
  )
}

/** Regular expressions that explode in other engines, and others that are large in this one. */
function pattern(random: Random): PolicyFiles {
  const size = 1 + random.below(400)
  const text = random.pick<() => string>([
    () => `^(${'(a+)+'.repeat(Math.min(size, 50))})+$`,
    () => `${'('.repeat(size)}a${')*'.repeat(size)}`,
    () => `(?:a{${size}}){${size}}`,
    () => `((a{0,${size}}){0,${size}}){0,${size}}`,
    () => Array.from({ length: size * 10 }, (_, at) => `w${at}`).join('|'),
    () => `[${'\\p{L}'.repeat(size)}]{${size}}`,
    () => `(?i)${'.*'.repeat(size)}x`,
    () => `(a)(?=b)${'\\1'.repeat(size)}`,
    () => '['.repeat(size),
    () => `a{${size}${'0'.repeat(random.below(12))}}`,
  ])()
  return one(
    `a pattern of ${text.length} characters: ${text.slice(0, 60)}`,
    `rules:\n  endpoint/name-convention: { name: ${JSON.stringify(text)} }\n`,
  )
}

/** What a parser of YAML meets by accident or by malice. */
function garbage(random: Random): PolicyFiles {
  const pieces = [
    ...[
      'rules:',
      'extends: ',
      ' - ',
      '\n',
      '\n  ',
      '\t',
      '&a ',
      '*a',
      '<<: *a',
      '!!js/function ',
      '!!binary |',
      '%YAML 9.9\n',
    ],
    ...[
      '---\n',
      '...\n',
      '? ',
      ': ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '|',
      '>',
      '#',
      '\0',
      '\ufeff',
      '\u2028',
      '\ud800',
      '0x',
      '1e999',
    ],
    ...[
      '__proto__: ',
      'constructor: ',
      '!<tag:yaml.org,2002:map> ',
      '~',
      'null',
      '.nan',
      '-.inf',
      '2026-13-45',
      '@',
      '`',
      '%',
    ],
  ]
  const count = 1 + random.below(60)
  const text = Array.from({ length: count }, () => pieces[random.below(pieces.length)]).join('')
  return one(`garbage ${JSON.stringify(text.slice(0, 80))}`, text)
}

/** A file of another test with some characters changed. */
function mutated(random: Random): PolicyFiles {
  const [first = ['', ['']], ...others] = Object.entries(wrongFiles)
  const [title, [text]] = random.pick([first, ...others])
  let changed: string = text
  for (let left = 1 + random.below(6); left > 0; left--) {
    const at = random.below(changed.length + 1)
    const piece = random.pick([
      '',
      ' ',
      '\n',
      '  ',
      ':',
      '[',
      '}',
      '*',
      '&x ',
      '"',
      '\0',
      '-',
      '9'.repeat(30),
      'a'.repeat(5000),
    ])
    changed = changed.slice(0, at) + piece + changed.slice(at + random.below(4))
  }
  return one(`${title}, mutated: ${JSON.stringify(changed.slice(0, 80))}`, changed)
}

function glob(random: Random): PolicyFiles {
  const size = 1 + random.below(300)
  const text = random.pick([
    '*a'.repeat(size),
    '*'.repeat(size),
    '?*'.repeat(size),
    '['.repeat(size),
    `${'*/'.repeat(size)}x`,
  ])
  const place = random.pick(['name', 'project', 'url_host', 'owner', 'uid'])
  return one(
    `a glob of ${text.length} characters for ${place}`,
    `overrides:\n  - { match: { ${place}: ${JSON.stringify(text)} }, rules: { endpoint/inactive: off } }\n`,
  )
}
