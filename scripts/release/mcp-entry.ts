import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Owner, readOwner } from './owner.ts'

/** The name in the MCP registry, which lets an owner on GitHub use it; until there is an owner, one that no account has. */
export function mcpName({ repository }: Pick<Owner, 'repository'>): string {
  const [, owner] = /^https:\/\/github\.com\/([^/]+)\//.exec(repository) ?? []
  return owner === undefined ? 'example.hookdrift/hookdrift' : `io.github.${owner}/hookdrift`
}

/** `server.json`: how assistants start hookdrift, for the MCP registry. */
export function mcpEntry(checkout: string): string {
  const { name, version, description } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const owner = readOwner(checkout)
  const entry = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName(owner),
    description,
    version,
    ...(owner.repository === '' ? {} : { repository: { url: owner.repository, source: 'github' } }),
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'mcp' },
          {
            type: 'named',
            name: '--history',
            description: 'The history that audits write: the path of a file, or postgres://…',
            isRequired: true,
          },
        ],
      },
    ],
  }
  return `${JSON.stringify(entry, null, 2)}\n`
}
