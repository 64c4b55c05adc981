import { describe, expect, it } from 'vitest'
import { controls, controlsOf } from '../../src/rules/controls.ts'
import { frameworks } from '../../src/rules/frameworks.ts'
import { rules } from '../../src/rules/rules.ts'

/** Controls that every rule has, because it is a rule. */
const general = new Set(
  controls.filter(({ evidence }) => evidence.some(({ rules }) => rules.includes('*'))).map(({ id }) => id),
)

describe('controls', () => {
  it('have known frameworks, one entry each, and a sentence for each group of rules', () => {
    const ids = controls.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const known = frameworks.flatMap(({ id, controls }) => controls.map(([control]) => `${id}:${control}`))
    expect(known).toEqual([...new Set(known)])
    expect(known).toEqual(expect.arrayContaining(ids))
    const sentences = controls.flatMap(({ evidence }) => evidence.map(({ because }) => because))
    expect(sentences.filter((because) => !/^[A-Z].*\.$/.test(because))).toEqual([])
  })

  it('name rules that exist', () => {
    const patterns = new Set(controls.flatMap(({ evidence }) => evidence.flatMap((group) => group.rules)))
    const unused = [...patterns].filter(
      (pattern) => !rules.some(({ id }) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(id)),
    )
    expect(unused).toEqual([])
  })

  it('cover every rule with something of its own', () => {
    const bare = rules.map(({ id }) => id).filter((id) => controlsOf(id).every((control) => general.has(control)))
    expect(bare).toEqual([])
  })
})
