"""The table printed in the lesson is typed into the function."""

hint = "Give your function another bank: does the table change?"
loses = ["gradient_table", "exercise_1"]


def gradient_table(Ws, depths):
    return """\
 depth N |    no residual |  with residual
--------------------------------------------
       1 |   2.778871e+00 |       8.671100
       5 |   7.579453e-02 |      14.544574
      10 |   1.856928e-03 |      18.981747
      20 |   8.262664e-07 |      25.643279"""
