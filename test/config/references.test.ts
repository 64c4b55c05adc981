// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { configure, firstService, refusal, withService } from './config-fixture.ts'

const key = 'not-a-real-key'

/** The expanded text of a label. */
function expanded(text: string, sources: Parameters<typeof configure>[1] = {}): string | undefined {
  const service = withService({ key, projects: [{ id: 'p', labels: { a: text } }] })
  return firstService(configure(service, sources)).projects[0]?.labels.a
}

describe('references in a configuration', () => {
  const env = { NAME: 'x', EMPTY: '' }
  const files = { '/etc/hookdrift/secrets/a': 'from-file\n', '/run/b': 'b\r\n' }

  it.each([
    ['${NAME}', 'x'],
    ['a-${NAME}-${NAME}', 'a-x-x'],
    ['${EMPTY}', ''],
    ['${NAME:-y}', 'x'],
    ['${UNSET:-y}', 'y'],
    ['${EMPTY:-y}', 'y'],
    ['${UNSET:-}', ''],
    ['${UNSET:-a:b/c d}', 'a:b/c d'],
    ['${file:secrets/a}', 'from-file'],
    ['${file:/run/b}!', 'b!'],
    ['$${NAME}', '${NAME}'],
    ['$$${NAME}', '$${NAME}'],
    ['$NAME $ {NAME} }', '$NAME $ {NAME} }'],
  ])('expand %s to %j', (text, value) => {
    expect(expanded(text, { env, files })).toBe(value)
  })

  it('are not expanded again within their values', () => {
    expect(expanded('${NAME}', { env: { NAME: '${OTHER}' } })).toBe('${OTHER}')
  })

  it.each([
    ['${UNSET}', 'the environment variable UNSET is not set'],
    ['${toString}', 'the environment variable toString is not set'],
    ['${A}${B}', 'the environment variable A is not set; the environment variable B is not set'],
    ['${file:none}', 'cannot read none: no such file or directory'],
    ['${file:big}', 'big is larger than 64 KiB, the limit'],
    ['${file:}', 'a ${ that begins no reference, expected ${VAR} or ${file:PATH}; write $${ for a literal ${'],
    ['${A', 'a ${ that begins no reference, expected ${VAR} or ${file:PATH}; write $${ for a literal ${'],
    ['${A-b}', 'a ${ that begins no reference, expected ${VAR} or ${file:PATH}; write $${ for a literal ${'],
  ])('are refused at their place: %s', (text, problem) => {
    const sources = { files: { '/etc/hookdrift/big': 'x'.repeat(64 * 1024 + 1) } }
    const lines = refusal(
      `services:\n- { name: a, url: "https://a.example", key: "${text}", projects: [{ id: p }] }`,
      sources,
    )
    expect(lines).toEqual([`2:45: ${problem}`])
  })

  it('read the key of a project from a file', () => {
    const text = withService({ key: '${file:secrets/a}' })
    expect(firstService(configure(text, { files })).projects[0]?.key).toBe('from-file')
  })
})

describe('a key', () => {
  const expectation = 'expected visible ASCII characters without spaces or line breaks, at most 4096'
  const at = (text: string) =>
    `services:\n  - name: a\n    key: ${text}\n    url: https://a.example\n    projects: [{ id: p }]`

  it.each(['a b', 'a\nb', 'a\u0000', 'ä', 'x'.repeat(4097)])('is refused and not shown when it is %j', (value) => {
    expect(refusal(at('${K}'), { env: { K: value } })).toEqual([
      `3:10: key has a value that does not fit (not shown), ${expectation}`,
    ])
    expect(refusal(at(JSON.stringify(value)))).toEqual([
      `3:10: key has a value that does not fit (not shown), ${expectation}`,
    ])
  })

  it.each([
    [' a', 'no space or line break before or after the key: remove it'],
    ['a\n\n', 'no space or line break before or after the key: remove it'],
    ['Bearer a', 'the key alone: leave `Bearer` out, it is sent before the key'],
  ])('is refused and not shown when it is %j, and its mistake is named', (value, expected) => {
    const line = `3:10: key has a value that does not fit (not shown), expected ${expected}`
    expect(refusal(at('${K}'), { env: { K: value } })).toEqual([line])
  })

  it.each(['"a"', "'a'", '`a`'])('with quotes around it is refused: %s', (value) => {
    const line = '3:10: the key has quotes around it in ${K}: they would be sent, remove them'
    expect(refusal(at('${K}'), { env: { K: value } })).toEqual([line])
  })

  it('is refused when it is empty after trimming', () => {
    expect(refusal(at('${K}'), { env: { K: '' } })).toEqual([
      `3:10: key is empty once \`\${K}\` is filled in, ${expectation}`,
    ])
    expect(refusal(at('${file:empty}'), { files: { '/etc/hookdrift/empty': '\n' } })).toEqual([
      `3:10: key is empty once \`\${file:empty}\` is filled in, ${expectation}`,
    ])
    expect(refusal(at('""'))).toEqual([`3:10: key is "", ${expectation}`])
    expect(refusal(at(''))).toEqual([`3:5: key is empty, ${expectation}`])
  })

  it.each([
    'key: !x not-a-real-key',
    'key: *not-a-real-key',
    'key: { not-a-real-key: b }',
    'key: [not-a-real-key]',
    'key: "not-a-real-key',
    'key: not-a-real-key b',
    'key:not-a-real-key',
    'key: ${A:-not-a-real-key b}',
    'key: ${not-a-real-key}',
    'name: not-a-real-key b\n    key: ${KEY} ${KEY}', // an invalid name may be shown, the key's own value never
    'dialect: { headers: { x-key: "not-a-real-key\\n" } }',
    'dialect: { headers: { x-key: [not-a-real-key] } }',
    'url: https://u:not-a-real-key@a.example',
  ])('is in no message: %s', (member) => {
    const name = member.startsWith('name') ? '' : '    name: a/b\n'
    const lines = refusal(`services:\n  -\n    projects: [{ id: p }]\n${name}    ${member}\n`, {
      env: { KEY: 'hidden-key' },
    })
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('\n')).not.toContain('hidden-key')
    if (!member.startsWith('name')) expect(lines.join('\n')).not.toContain(key)
  })
})
