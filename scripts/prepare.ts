/**
 * npm runs this after it installed what a checkout needs, and before it packs a clone: `npm install git+https://…`, and
 * pre-commit. A clone is packed with what `npm run build` writes; a checkout where someone works stays without it, or
 * nothing would keep it current.
 */
if (process.env.npm_package_resolved !== undefined) {
  const { buildInto } = await import('./release/build-into.ts')
  const { dirname } = await import('node:path')
  const checkout = dirname(import.meta.dirname)
  await buildInto(checkout, checkout)
}
