import { type Owner, ownerFile, ownerSchema } from './owner.ts'

/** What is known of a publication: what the checkout says, and what others see of it. */
export interface ReleaseState {
  readonly owner: Owner
  readonly name: string
  readonly version: string
  readonly changelog: string
  /** The text of the workflow that releases. */
  readonly workflow: string
  /** What the commit is tagged with; undefined before there is a tag. */
  readonly tag: string | undefined
  /** What the registry has under the name; undefined for nothing. */
  readonly published: PublishedPackage | undefined
  /** Whether the address of the schemas answers with one. */
  readonly servesSchemas: boolean
  /** Whether Git has a key that signs tags. */
  readonly hasSigningKey: boolean
  /** Generated files that do not follow `release/owner.json`. */
  readonly stale: readonly string[]
  /** Files that say that no registry, or no marketplace, has hookdrift. */
  readonly denyRegistry: readonly string[]
  readonly denyMarketplace: readonly string[]
}

export interface PublishedPackage {
  /** As package.json writes it: `git+https://…/hookdrift.git`. */
  readonly repository: string
  readonly versions: readonly string[]
  /** Whether the newest version has npm's statement of the workflow that published it. */
  readonly isAttested: boolean
}

interface Step {
  readonly isDone: (state: ReleaseState) => boolean
  /** What the owner does, in a line: a member to fill in, or a command. */
  readonly text: (state: ReleaseState) => string
  /** Whether a tag without it would publish nothing, or something false. */
  readonly holdsTag: boolean
}

const isOurs = ({ owner, published }: ReleaseState) =>
  owner.repository !== '' && published?.repository === `git+${owner.repository}.git`
/** The workflow published: npm trusts it, and its environment exists. */
const hasReleased = (state: ReleaseState) => isOurs(state) && state.published?.isAttested === true
const isTaken = ({ version, published }: ReleaseState) => published?.versions.includes(version) === true
const isReleased = (state: ReleaseState) => hasReleased(state) && isTaken(state)
/** The version that the workflow published, or is to publish. */
const isOfWorkflow = (state: ReleaseState) => isOurs(state) && (hasReleased(state) || !isTaken(state))
const isFilled = (owner: Owner) => !Object.values(owner).includes('')
const repositoryName = ({ repository }: Owner) => repository.split('/').slice(-2).join('/') || 'NAME/hookdrift'
const hostOf = ({ image }: Owner) => image.split('/')[0]
const isDated = (changelog: string, heading: string) =>
  changelog.split('\n').some((line) => line.startsWith(heading) && /^\d{4}-\d\d-\d\d$/.test(line.slice(heading.length)))

function fillIn(member: keyof Owner): Step {
  return {
    isDone: ({ owner }) => owner[member] !== '',
    text: () => `${ownerFile}: fill in ${member}. ${ownerSchema.shape[member].description}`,
    holdsTag: true,
  }
}

/** What only the owner of the project can do, in the order in which it is done. */
export const ownerSteps = {
  repository: fillIn('repository'),
  homepage: fillIn('homepage'),
  bugs: fillIn('bugs'),
  codeowners: fillIn('codeowners'),
  image: fillIn('image'),
  schemas: fillIn('schemas'),
  reference: {
    isDone: ({ owner, stale }) => isFilled(owner) && stale.length === 0,
    text: () => `npm run reference: ids of schemas, server.json, .github/CODEOWNERS and the chart follow ${ownerFile}`,
    holdsTag: true,
  },
  imageLogin: {
    isDone: ({ owner, workflow }) =>
      ['', 'ghcr.io'].includes(hostOf(owner) ?? '') || !/^ +TOKEN: \$\{\{ github\.token \}\}$/m.test(workflow),
    text: ({ owner }) =>
      `.github/workflows/release.yml: give the jobs image and sign a TOKEN that ${hostOf(owner)} takes`,
    holdsTag: true,
  },
  name: {
    isDone: (state) => state.published === undefined || isOurs(state),
    text: ({ name, published }) =>
      `package.json: change name. Another project has ${name}: ${published?.repository || 'it names no repository'}`,
    holdsTag: true,
  },
  changelog: {
    isDone: ({ changelog, version }) => isDated(changelog, `## ${version}, `),
    text: ({ version }) => `CHANGELOG.md: write the heading "## ${version}, " with the date`,
    holdsTag: true,
  },
  firstVersion: {
    isDone: isOurs,
    text: () =>
      'npm run build && npm publish --provenance=false ./package: by hand once, as npm trusts workflows of packages that exist',
    holdsTag: true,
  },
  trust: {
    isDone: hasReleased,
    text: ({ name, owner }) =>
      `npm trust github ${name} --file release.yml --repo ${repositoryName(owner)} --env npm --allow-publish: with npm 11.15 or newer; then forbid tokens in the package's settings`,
    holdsTag: false,
  },
  environment: {
    isDone: hasReleased,
    text: () => 'GitHub, Settings, Environments: make npm, with reviewers, and for tags v* only',
    holdsTag: false,
  },
  tagRule: {
    isDone: hasReleased,
    text: () => 'GitHub, Settings, Rules: protect tags v*.*.*',
    holdsTag: false,
  },
  registrySentences: {
    isDone: ({ denyRegistry }) => denyRegistry.length === 0,
    text: ({ denyRegistry }) => `${denyRegistry.join(', ')}: delete the sentences that no registry has hookdrift`,
    holdsTag: true,
  },
  schemaHost: {
    isDone: ({ servesSchemas }) => servesSchemas,
    text: ({ owner }) =>
      `npm run schemas -- DIRECTORY: serve it as ${owner.schemas || 'schemas says'}, then offer release/catalog.json to a catalogue`,
    holdsTag: false,
  },
  version: {
    isDone: isOfWorkflow,
    text: ({ version }) =>
      `package.json: raise version, as the registry takes ${version} once; release/README.md says what follows it`,
    holdsTag: true,
  },
  signingKey: {
    isDone: (state) => state.hasSigningKey || hasReleased(state),
    text: () => 'git config user.signingkey KEY: it signs the tag',
    holdsTag: false,
  },
  tag: {
    isDone: (state) => state.tag === `v${state.version}` || isReleased(state),
    text: (state) => {
      const tag = isOfWorkflow(state) ? `v${state.version}` : 'vVERSION'
      const wrong = state.tag === undefined ? '' : `the tag is ${state.tag}, and the version ${state.version}. `
      return `${wrong}git tag --sign ${tag} && git push origin ${tag}: then approve the job npm`
    },
    holdsTag: true,
  },
  marketplace: {
    isDone: ({ denyMarketplace }) => denyMarketplace.length === 0,
    text: ({ denyMarketplace }) =>
      `GitHub, Releases: edit it and tick the Marketplace, if you want that, then delete "no marketplace" from ${denyMarketplace.join(', ')}`,
    holdsTag: false,
  },
} as const satisfies Readonly<Record<string, Step>>

const inOrder: readonly Step[] = Object.values(ownerSteps)

/** What is left to the owner, a line each, in order. */
export function openSteps(state: ReleaseState): readonly string[] {
  return inOrder.filter((step) => !step.isDone(state)).map((step) => step.text(state))
}

/** What is left, and must not be when a tag publishes. */
export function publicationFaults(state: ReleaseState): readonly string[] {
  return inOrder.filter((step) => step.holdsTag && !step.isDone(state)).map((step) => step.text(state))
}
