import { describe, expect, it } from 'vitest'
import { openSteps, ownerSteps, publicationFaults, type ReleaseState } from '../../scripts/release/owner-steps.ts'
import { textOf } from './build-image.ts'
import { filled } from './filled-owner.ts'

const repository = 'git+https://github.com/acme/hookdrift.git'
const workflow = textOf('.github/workflows/release.yml')

/** A first version was published by hand, and the tag of the second is about to be pushed. */
const tagged: ReleaseState = {
  owner: filled,
  name: 'hookdrift',
  version: '1.2.3',
  changelog: '# Changelog\n\n## 1.2.3, 2026-11-27\n',
  workflow,
  tag: 'v1.2.3',
  published: { repository, versions: ['1.2.2'], isAttested: false },
  servesSchemas: true,
  hasSigningKey: true,
  stale: [],
  denyRegistry: [],
  denyMarketplace: [],
}
const released = { ...tagged, published: { repository, versions: ['1.2.2', '1.2.3'], isAttested: true } }

type StepName = keyof typeof ownerSteps
const namesOf = (state: ReleaseState) =>
  Object.entries(ownerSteps).flatMap(([name, step]) => (step.isDone(state) ? [] : [name]))
const textsOf = (state: ReleaseState, ...names: readonly StepName[]) =>
  names.map((name) => ownerSteps[name].text(state))

const blank = { repository: '', homepage: '', bugs: '', codeowners: '', image: '', schemas: '' }
const untouched: ReleaseState = {
  ...tagged,
  owner: blank,
  changelog: '## 1.2.3\n\nNot released yet.\n',
  tag: undefined,
  published: undefined,
  servesSchemas: false,
  hasSigningKey: false,
  denyRegistry: ['README.md', 'SECURITY.md'],
  denyMarketplace: ['docs/how-to/run-in-ci.md'],
}

describe('what is left to the owner', () => {
  it('is all of it in a project that has no owner yet, in the order in which it is done', () => {
    const never = ['imageLogin', 'name']
    expect(namesOf(untouched)).toEqual(Object.keys(ownerSteps).filter((name) => !never.includes(name)))
    expect(openSteps(untouched)).toMatchInlineSnapshot(`
      [
        "release/owner.json: fill in repository. The repository: https://github.com/NAME/hookdrift. npm compares it with where the package was built.",
        "release/owner.json: fill in homepage. The page about the project.",
        "release/owner.json: fill in bugs. Where faults are reported: https://github.com/NAME/hookdrift/issues.",
        "release/owner.json: fill in codeowners. Who reviews changes: @NAME/TEAM, or @NAME.",
        "release/owner.json: fill in image. The image without a tag: ghcr.io/NAME/hookdrift.",
        "release/owner.json: fill in schemas. Where the JSON Schemas are published: https://HOST/schemas.",
        "npm run reference: ids of schemas, server.json, .github/CODEOWNERS and the chart follow release/owner.json",
        "CHANGELOG.md: write the heading "## 1.2.3, " with the date",
        "npm run build && npm publish --provenance=false ./package: by hand once, as npm trusts workflows of packages that exist",
        "npm trust github hookdrift --file release.yml --repo NAME/hookdrift --env npm --allow-publish: with npm 11.15 or newer; then forbid tokens in the package's settings",
        "GitHub, Settings, Environments: make npm, with reviewers, and for tags v* only",
        "GitHub, Settings, Rules: protect tags v*.*.*",
        "README.md, SECURITY.md: delete the sentences that no registry has hookdrift",
        "npm run schemas -- DIRECTORY: serve it as schemas says, then offer release/catalog.json to a catalogue",
        "package.json: raise version, as the registry takes 1.2.3 once; release/README.md says what follows it",
        "git config user.signingkey KEY: it signs the tag",
        "git tag --sign vVERSION && git push origin vVERSION: then approve the job npm",
        "GitHub, Releases: edit it and tick the Marketplace, if you want that, then delete "no marketplace" from docs/how-to/run-in-ci.md",
      ]
    `)
  })

  it('is nothing after a release', () => {
    expect(openSteps(released)).toEqual([])
    expect(openSteps({ ...released, tag: undefined, hasSigningKey: false })).toEqual([])
  })

  const repositoryMissing = ['repository', 'reference', 'name', 'firstVersion', 'trust', 'environment', 'tagRule']
  it.each<[string, Partial<ReleaseState>, readonly string[]]>([
    ['no repository', { owner: { ...filled, repository: '' } }, [...repositoryMissing, 'version']],
    ['no homepage', { owner: { ...filled, homepage: '' } }, ['homepage', 'reference']],
    ['no address for faults', { owner: { ...filled, bugs: '' } }, ['bugs', 'reference']],
    ['no code owners', { owner: { ...filled, codeowners: '' } }, ['codeowners', 'reference']],
    ['no image', { owner: { ...filled, image: '' } }, ['image', 'reference']],
    ['no address of schemas', { owner: { ...filled, schemas: '' } }, ['schemas', 'reference']],
    ['a file that follows an older answer', { stale: ['server.json'] }, ['reference']],
    ['an image elsewhere', { owner: { ...filled, image: 'registry.acme.example/hookdrift' } }, ['imageLogin']],
    ['a changelog without a date', { changelog: '## 1.2.3\n' }, ['changelog']],
    ['a changelog with another word', { changelog: '## 1.2.3, soon\n' }, ['changelog']],
    ['a changelog of another version', { changelog: '## 1.2.30, 2026-11-27\n' }, ['changelog']],
    ['sentences about registries', { denyRegistry: ['README.md'] }, ['registrySentences']],
    ['a host without schemas', { servesSchemas: false }, ['schemaHost']],
    ['a sentence about the marketplace', { denyMarketplace: ['README.md'] }, ['marketplace']],
    [
      'a newer version, without a tag',
      { version: '1.2.4', changelog: '## 1.2.4, 2026-11-28', tag: undefined },
      ['tag'],
    ],
  ])('has after a release, with %s, these steps', (_, change, names) => {
    const state = { ...released, ...change }
    expect(namesOf(state)).toEqual(names)
    expect(openSteps(state)).toEqual(textsOf(state, ...(names as readonly StepName[])))
  })

  const once = ['trust', 'environment', 'tagRule']
  it.each<[string, Partial<ReleaseState>, readonly string[]]>([
    ['nothing else', {}, once],
    ['the name free', { published: undefined }, ['firstVersion', ...once, 'version']],
    [
      'the name of another project',
      {
        published: { repository: 'git+https://github.com/other/hookdrift.git', versions: ['9.0.0'], isAttested: true },
      },
      ['name', 'firstVersion', ...once, 'version'],
    ],
    [
      'its version published by hand',
      { published: { repository, versions: ['1.2.3'], isAttested: false } },
      [...once, 'version'],
    ],
    ['no key', { hasSigningKey: false }, [...once, 'signingKey']],
    ['another tag', { tag: '1.2.3' }, [...once, 'tag']],
  ])('has before the first release by the workflow, with %s, these steps', (_, change, names) => {
    expect(namesOf({ ...tagged, ...change })).toEqual(names)
  })

  it('has no login for another registry once the workflow has one', () => {
    const own = workflow.replaceAll(/TOKEN: .*/g, 'TOKEN: another')
    expect(
      namesOf({ ...released, owner: { ...filled, image: 'registry.acme.example/hookdrift' }, workflow: own }),
    ).toEqual([])
  })
})

describe('the faults of a tag', () => {
  it('are none before the first release by the workflow: only that release shows whether npm trusts it', () => {
    expect(publicationFaults({ ...tagged, servesSchemas: false, hasSigningKey: false })).toEqual([])
  })

  it('are the steps without which it publishes nothing, or something false', () => {
    const held = Object.entries(ownerSteps).flatMap(([name, { holdsTag }]) => (holdsTag ? [] : [name]))
    expect(held).toEqual(['trust', 'environment', 'tagRule', 'schemaHost', 'signingKey', 'marketplace'])
    const state = { ...untouched, tag: '1.2.3' }
    expect(publicationFaults(state)).toEqual(
      Object.entries(ownerSteps).flatMap(([, step]) =>
        step.holdsTag && !step.isDone(state) ? [step.text(state)] : [],
      ),
    )
    expect(publicationFaults({ ...tagged, tag: '1.2.3' })).toEqual([
      'the tag is 1.2.3, and the version 1.2.3. git tag --sign v1.2.3 && git push origin v1.2.3: then approve the job npm',
    ])
  })
})
