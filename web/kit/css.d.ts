/** The name of a file of the build (web/build.mjs). */
declare module '*.css' { const file: string; export default file; }
