#!/usr/bin/env node
// Old syntax on purpose: this must parse and answer on any Node before anything newer is loaded.
var version = process.versions.node.split('.').map(Number)
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  console.error('hookdrift needs Node 22.19 or newer, this is Node ' + process.versions.node)
  console.error('  install one, such as with `nvm install 24`, or run the container')
  process.exitCode = 2
} else {
  // Node would exit with 1, which means violations in the audited system.
  import('../dist/cli/start.js').catch((error) => {
    console.error('hookdrift: this installation is not complete: ' + error.message)
    console.error('  install the package again')
    process.exitCode = 4
  })
}
