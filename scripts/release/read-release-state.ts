import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { referencePages } from '../reference/pages.ts'
import { run } from './machine-tools.ts'
import { readOwner, schemaAddress } from './owner.ts'
import type { PublishedPackage, ReleaseState } from './owner-steps.ts'

const noRegistry = /\bno (?:public )?registry(?: and no marketplace)? (?:carries|has)\b|\bno package in a registry\b/i
const noMarketplace = /\bno marketplace\b/i

/** Reads the checkout, and asks the registry and the host of the schemas once each. */
export async function readReleaseState(checkout: string, tag: string | undefined): Promise<ReleaseState> {
  const read = (path: string) => readFileSync(join(checkout, path), 'utf8')
  const { name, version } = JSON.parse(read('package.json'))
  const owner = readOwner(checkout)
  const pages = await Promise.all(Object.entries(referencePages).map(async ([path, page]) => [path, await page()]))
  // Tests and the steps themselves quote the sentences.
  const tracked = await run('git', ['ls-files', '--', ':!test', ':!release', ':!scripts/release'], checkout)
  const files = tracked.split('\n').filter((path) => path !== '')
  const signingKey = await run('git', ['config', '--default', '', '--get', 'user.signingkey'], checkout)
  return {
    owner,
    name,
    version,
    tag,
    changelog: read('CHANGELOG.md'),
    workflow: read('.github/workflows/release.yml'),
    published: await readPublished(name, checkout),
    servesSchemas: owner.schemas !== '' && (await answersWithItsId(schemaAddress(owner, 'hookdrift'))),
    hasSigningKey: signingKey.trim() !== '',
    stale: pages.flatMap(([path = '', page]) => (read(path) === page ? [] : [path])),
    denyRegistry: files.filter((path) => noRegistry.test(read(path))),
    denyMarketplace: files.filter((path) => noMarketplace.test(read(path))),
  }
}

async function readPublished(name: string, checkout: string): Promise<PublishedPackage | undefined> {
  try {
    const { repository, versions, dist } = JSON.parse(await run('npm', ['view', name, '--json'], checkout))
    // One version is not a list.
    return {
      repository: repository?.url ?? '',
      versions: [versions].flat(),
      isAttested: dist.attestations !== undefined,
    }
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && String(error.stdout).includes('"E404"')) return undefined
    throw error
  }
}

async function answersWithItsId(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) })
    return answer.ok && JSON.parse(await answer.text()).$id === address
  } catch {
    return false
  }
}
