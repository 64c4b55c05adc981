import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { controlIndex } from '../../scripts/control-index.ts'
import { matchesGlob } from '../../src/model/glob.ts'
import {
  builtInControls,
  builtInFrameworkIds,
  controlIndexFile,
  controlsOf,
} from '../../src/report/compliance/built-in-frameworks.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { rules } from '../../src/rules/rules.ts'
import { catalogues } from './catalogues.ts'

const frameworks = builtInFrameworkIds.map(builtInFramework)
const evidence = frameworks.flatMap(({ controls }) => controls.flatMap((control) => control.evidence))

/** Controls that every rule gives evidence for. */
const general = new Set(
  frameworks.flatMap((framework) =>
    framework.controls
      .filter((control) => control.evidence.some((entry) => entry.rules.includes('*')))
      .map(({ id }) => `${framework.id}:${id}`),
  ),
)

describe('the built-in frameworks', () => {
  it('are the files in config/frameworks, each under its own name', () => {
    const files = readdirSync(join(import.meta.dirname, '../../config/frameworks'))
    expect(files.toSorted()).toEqual(builtInFrameworkIds.map((id) => `${id}.yaml`).toSorted())
    expect(frameworks.map(({ id }) => id)).toEqual(builtInFrameworkIds)
  })

  it.each(frameworks.map((framework) => [framework.id, framework] as const))(
    '%s cites a document, and has only identifiers of it, in its order',
    (id, { source, controls }) => {
      expect(source).toMatch(/\d/)
      const catalogue = catalogues[id as keyof typeof catalogues]
      const ids = controls.map((control) => control.id)
      expect(ids.filter((each) => !catalogue.includes(each))).toEqual([])
      expect(ids).toEqual(catalogue.filter((each) => ids.includes(each)))
    },
  )

  it('list all controls of their document, or only those with evidence', () => {
    const partial = frameworks.filter(({ id, controls }) => controls.length < catalogues[id as 'soc2'].length)
    const bare = partial.flatMap(({ id, controls }) =>
      controls.filter(({ evidence }) => evidence.length === 0).map((control) => `${id}:${control.id}`),
    )
    expect(bare).toEqual([])
    expect(partial.filter(({ title }) => !title.includes('(selected'))).toEqual([])
  })

  it('have an index of their controls (UPDATE_PAGES=1 rewrites it)', () => {
    const current = controlIndex()
    if (process.env.UPDATE_PAGES !== undefined) writeFileSync(controlIndexFile, current)
    expect(readFileSync(controlIndexFile, 'utf8')).toBe(current)
  })

  it('give each group of rules a rationale in a sentence', () => {
    const sentences = evidence.map(({ rationale }) => rationale)
    expect(sentences.filter((rationale) => !/^[A-Z].*\.$/.test(rationale))).toEqual([])
  })

  it('name rules that exist', () => {
    const patterns = new Set(evidence.flatMap((entry) => entry.rules))
    expect([...patterns].filter((pattern) => !rules.some(({ id }) => matchesGlob(id, pattern)))).toEqual([])
  })

  it('map every rule to a control of its own, in addition to the shared ones', () => {
    const bare = rules.map(({ id }) => id).filter((id) => controlsOf(id).every((control) => general.has(control)))
    expect(bare).toEqual([])
  })

  it('list the controls of a rule in the order of frameworks and controls', () => {
    expect(controlsOf('source/queue-plaintext')).toEqual([
      ...['soc2:CC6.7', 'soc2:CC7.1', 'iso27001:A.8.9', 'iso27001:A.8.20', 'iso27001:A.8.24'],
      ...['pci-dss:2.2', 'pci-dss:4.2', 'pci-dss:11.5', 'nist-csf:PR.DS', 'nist-csf:PR.PS'],
      ...['nist-800-53:CA-7', 'nist-800-53:CM-6', 'nist-800-53:SC-7', 'nist-800-53:SC-8', 'cis:3.10', 'cis:4.1'],
      ...['hipaa:164.312(e)(1)', 'hipaa:164.312(e)(2)(ii)', 'dora:9(1)', 'dora:9(2)', 'dora:9(3)(a)', 'dora:9(3)(b)'],
      ...['nis2:21(2)(f)', 'nis2:21(2)(h)'],
    ])
    expect(builtInControls()).toContain('soc2:CC1.1')
  })
})
