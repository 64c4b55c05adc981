import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageTags } from './release/image-tags.ts'
import { readOwner } from './release/owner.ts'

/**
 * What the release workflow says of an image, as NAME=VALUE lines: its name, its version, when its commit was made, and
 * where its source, its page and its documentation are.
 */
const checkout = join(import.meta.dirname, '..')
const { image, repository, homepage } = readOwner(checkout)
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
const created = execFileSync('git', ['show', '--no-patch', '--format=%cI', 'HEAD'], { cwd: checkout, encoding: 'utf8' })
const documentation = repository === '' ? '' : `${repository}/tree/v${version}/docs`
const released = execFileSync('git', ['tag', '--list'], { cwd: checkout, encoding: 'utf8' }).split('\n')
const tags = imageTags(version, released).join(' ')
const facts = { image, version, tags, created: created.trim(), source: repository, url: homepage, documentation }
for (const [name, value] of Object.entries(facts)) console.log(`${name}=${value}`)
