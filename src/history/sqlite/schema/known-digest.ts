/** Digest of the schema that the migrations make, so that a comparison need not make it. A test keeps it current. */
export const knownSchemaDigest = '90442558c802428557f637ac807dfcf3c8b194a4fa01a1bca124e719506fe5fb'
