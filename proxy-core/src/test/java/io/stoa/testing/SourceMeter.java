// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Measures Java sources with the compiler's own parser. A code line is a line that holds more than
 * white space and comments. Not thread-safe.
 */
public final class SourceMeter {
  /** A type, nested ones included in its lines; {@code header} is its Javadoc. */
  public record Type(
      String packageName, String name, Tree.Kind kind, int codeLines, @Nullable String header) {}

  /** A method or constructor with a body: the code lines from the opening brace to the closing. */
  public record Method(String where, int codeLines) {}

  /** The name of a type, method or field. Threading: immutable. */
  public record Name(String where, String name) {}

  /** A Javadoc comment without its asterisks. */
  public record Comment(String where, String text) {}

  private final List<Type> types = new ArrayList<>();
  private final List<Type> nested = new ArrayList<>();
  private final List<Name> names = new ArrayList<>();
  private final List<Comment> comments = new ArrayList<>();
  private final List<Method> methods = new ArrayList<>();

  public static SourceMeter measure(Collection<Path> sources) throws IOException {
    SourceMeter meter = new SourceMeter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, null, null, files.getJavaFileObjectsFromPaths(sources));
      DocTrees trees = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        meter.new UnitScanner(unit, trees).scan(unit, null);
      }
    }
    return meter;
  }

  /** Returns the top-level types. */
  public List<Type> types() {
    return types;
  }

  /** Returns the types that are declared in others. */
  public List<Type> nested() {
    return nested;
  }

  public List<Method> methods() {
    return methods;
  }

  /** Returns the names of types, methods and fields. */
  public List<Name> names() {
    return names;
  }

  /** Returns the Javadoc comments of types, methods and fields. */
  public List<Comment> comments() {
    return comments;
  }

  /** The zero-based numbers of the lines of {@code source} that hold code. */
  static BitSet codeLines(CharSequence source) {
    String text = source.toString();
    BitSet lines = new BitSet();
    int line = 0;
    for (int at = 0; at < text.length(); ) {
      int end = tokenEnd(text, at);
      boolean comment = text.startsWith("//", at) || text.startsWith("/*", at);
      for (; at < end; at++) {
        if (text.charAt(at) == '\n') {
          line++;
        } else if (!comment && !Character.isWhitespace(text.charAt(at))) {
          lines.set(line);
        }
      }
    }
    return lines;
  }

  /** The end of the comment or literal that begins at {@code at}; of one character otherwise. */
  private static int tokenEnd(String text, int at) {
    if (text.startsWith("//", at)) {
      return indexOrEnd(text, "\n", at);
    }
    if (text.startsWith("/*", at)) {
      return indexOrEnd(text, "*/", at + 2) + 2;
    }
    if (text.startsWith("\"\"\"", at)) {
      return quoteEnd(text, "\"\"\"", at + 3);
    }
    char c = text.charAt(at);
    return c == '"' || c == '\'' ? quoteEnd(text, String.valueOf(c), at + 1) : at + 1;
  }

  private static int quoteEnd(String text, String quote, int from) {
    int at = from;
    while (at < text.length() && !text.startsWith(quote, at)) {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(text.length(), at + quote.length());
  }

  private static int indexOrEnd(String text, String what, int from) {
    int index = text.indexOf(what, from);
    return index < 0 ? text.length() : index;
  }

  private final class UnitScanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final CompilationUnitTree unit;
    private final DocTrees trees;
    private final SourcePositions positions;
    private final BitSet code;

    UnitScanner(CompilationUnitTree unit, DocTrees trees) throws IOException {
      this.unit = unit;
      this.trees = trees;
      this.positions = trees.getSourcePositions();
      this.code = codeLines(unit.getSourceFile().getCharContent(true));
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
      TreePath path = getCurrentPath();
      List<Type> all = path.getParentPath().getLeaf() == unit ? types : nested;
      String name = type.getSimpleName().toString();
      all.add(
          new Type(packageName(), name, type.getKind(), count(type), trees.getDocComment(path)));
      addName(type, name);
      addComment(type);
      return super.visitClass(type, null);
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
      BlockTree body = method.getBody();
      if (body != null && positions.getEndPosition(unit, body) > 0) {
        methods.add(new Method(where(method), count(body)));
      }
      addName(method, method.getName());
      addComment(method);
      return super.visitMethod(method, null);
    }

    @Override
    public @Nullable Void visitVariable(VariableTree variable, @Nullable Void unused) {
      if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
        addName(variable, variable.getName());
      }
      addComment(variable);
      return super.visitVariable(variable, null);
    }

    private void addName(Tree declared, CharSequence name) {
      names.add(new Name(place(declared), name.toString()));
    }

    private void addComment(Tree documented) {
      String comment = trees.getDocComment(getCurrentPath());
      if (comment != null) {
        comments.add(new Comment(place(documented), comment));
      }
    }

    private String place(Tree tree) {
      String file = unit.getSourceFile().getName();
      long line = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
      return Path.of(file).getFileName() + ":" + line;
    }

    private String packageName() {
      return unit.getPackageName().toString();
    }

    private String where(MethodTree method) {
      return place(method) + " " + method.getName();
    }

    private int count(Tree tree) {
      int from = line(positions.getStartPosition(unit, tree));
      int to = line(positions.getEndPosition(unit, tree) - 1);
      return code.get(from, to + 1).cardinality();
    }

    private int line(long position) {
      return (int) unit.getLineMap().getLineNumber(position) - 1;
    }
  }
}
